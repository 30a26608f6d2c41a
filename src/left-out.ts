// Replaces modules that libraries import and the Worker never calls: see [alias] in wrangler.toml, which vitest.config.ts
// reads too. Libraries import these names, so the bundle does not build without them.

class NotBundled {
  constructor() {
    throw new Error("This part of a library is not in the bundle: see [alias] in wrangler.toml");
  }
}

const notBundled = () => new NotBundled();

/** The libraries construct a validator eagerly, for features that the service does not use. */
class NoValidator {
  getValidator() {
    return notBundled();
  }
}

export {
  NotBundled as AuthorityKeyIdentifierExtension,
  NotBundled as CRLDistributionPointsExtension,
  NotBundled as Client,
  NotBundled as SdkHttpError,
  NotBundled as SSEClientTransport,
  NotBundled as StreamableHTTPClientTransport,
  NotBundled as SubjectKeyIdentifierExtension,
  NotBundled as X509Certificate,
  NotBundled as X509ChainBuilder,
  NotBundled as X509Crl,
  NoValidator as AjvJsonSchemaValidator,
  NoValidator as CfWorkerJsonSchemaValidator,
  NoValidator as DefaultJsonSchemaValidator,
  notBundled as newWebSocketRpcSession,
  notBundled as validateClientMetadataUrl,
  notBundled as verifyAttestationAndroidKey,
  notBundled as verifyAttestationAndroidSafetyNet,
  notBundled as verifyAttestationApple,
  notBundled as verifyAttestationTPM,
};
