import { namedBucket } from "../common/bucket.ts";
import { type CloudflareClient, CloudflareError, undefinedIfMissing } from "../common/cloudflare.ts";

// The R2 bucket for the bytes of files: https://developers.cloudflare.com/api/resources/r2/subresources/buckets/

const bucketsPath = ({ account }: CloudflareClient) => `/accounts/${account}/r2/buckets`;

/** Cloudflare's error code for an account without R2. */
const R2_NOT_ENABLED = 10042;

const isNotEnabled = (problem: unknown) =>
  problem instanceof CloudflareError && problem.codes.includes(R2_NOT_ENABLED);

const NOT_ALLOWED_TEXT =
  "The token may not use R2: give it the permission Workers R2 Storage: Edit, or delete [[r2_buckets]] in wrangler.toml";

/** Whether the account has a bucket; false if R2 is not enabled. Throws if the token may not use R2. */
export const hasBucket = (cloudflare: CloudflareClient, name: string): Promise<boolean> =>
  undefinedIfMissing(cloudflare.call(`${bucketsPath(cloudflare)}/${name}`)).then(
    (found) => found !== undefined,
    (problem: unknown) => {
      if (isNotEnabled(problem)) return false;
      throw problem instanceof CloudflareError && problem.status === 403
        ? new Error(NOT_ALLOWED_TEXT)
        : problem;
    },
  );

const NOT_ENABLED_TEXT = `R2 is not enabled in this account, so the service cannot store files. Everything else works. To store files, enable R2
in Cloudflare's dashboard (it asks for a payment method) and run the command again.`;

/** Creates a bucket or finds it. Returns its name; undefined, with a message, if R2 is not enabled. */
export async function createBucket(cloudflare: CloudflareClient, name: string): Promise<string | undefined> {
  try {
    await cloudflare.call(bucketsPath(cloudflare), { name });
    return name;
  } catch (problem) {
    if (isNotEnabled(problem)) {
      console.log(NOT_ENABLED_TEXT);
      return undefined;
    }
    // An earlier attempt may have created it, and its answer was lost.
    if (await hasBucket(cloudflare, name)) return name;
    throw problem;
  }
}

/**
 * Deletes a bucket with everything in it: Cloudflare deletes only empty ones. Throws if an object is added in the meantime.
 */
export async function deleteBucket(cloudflare: CloudflareClient, name: string): Promise<void> {
  const bucket = namedBucket(cloudflare, name);
  const keys: string[] = [];
  for await (const key of bucket.keys()) keys.push(key);
  for (const key of keys) await bucket.remove(key);
  await undefinedIfMissing(cloudflare.call(`${bucketsPath(cloudflare)}/${name}`, undefined, "DELETE"));
}
