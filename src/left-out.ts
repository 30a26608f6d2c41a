// Stands in for modules that libraries import and the Worker never calls: see [alias] in wrangler.toml, which the tests in
// workerd read too (vitest.config.ts). A bundle that lacks one of these names does not build.

class LeftOut {
  constructor() {
    throw new Error("This part of a library is not in the bundle: see [alias] in wrangler.toml");
  }
}

const leftOut = () => new LeftOut();

/** A validator, which the libraries' servers and clients make at once and use for what we do not do. */
class NoValidator {
  getValidator() {
    return leftOut();
  }
}

export {
  LeftOut as AuthorityKeyIdentifierExtension,
  LeftOut as CRLDistributionPointsExtension,
  LeftOut as SubjectKeyIdentifierExtension,
  LeftOut as X509Certificate,
  LeftOut as X509ChainBuilder,
  LeftOut as X509Crl,
  leftOut as verifyAttestationAndroidKey,
  leftOut as verifyAttestationAndroidSafetyNet,
  leftOut as verifyAttestationApple,
  leftOut as verifyAttestationTPM,
  NoValidator as DefaultJsonSchemaValidator,
};
