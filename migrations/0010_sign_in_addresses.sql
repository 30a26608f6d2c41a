-- Where users have signed in from, as keyed digests of address groups, so that the limit of failed sign-ins to an account
-- slows down strangers but not its owner.
CREATE TABLE sign_in_addresses (
  owner INTEGER NOT NULL REFERENCES users (number),
  address TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (owner, address)
);
CREATE INDEX sign_in_addresses_last_used_at_idx ON sign_in_addresses (last_used_at);
