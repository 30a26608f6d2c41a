-- nonce: a random number by which a change whose answer was lost is recognized. NULL for what the service does by itself.
ALTER TABLE activity ADD COLUMN nonce INTEGER;
