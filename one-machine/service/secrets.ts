import { randomBytes } from "node:crypto"
import { z } from "zod"
import { readOrCreatePrivate } from "./private-file.ts"

export const Secrets = z.object({ apiKeyPepper: z.string(), hostTokenSecret: z.string() })

/**
 * The secrets of one machine, as the environment of its processes. They are made at the first start and kept
 * in a file of mode 600.
 */
export async function readOrCreateSecrets(path: string): Promise<Record<string, string>> {
  const kept = await readOrCreatePrivate(path, Secrets, () => ({
    apiKeyPepper: randomBytes(32).toString("base64url"),
    hostTokenSecret: randomBytes(32).toString("base64url"),
  }))
  return {
    API_KEY_PEPPER: kept.apiKeyPepper,
    HOST_TOKEN_SECRET: kept.hostTokenSecret,
    // The same secret: it is never rotated here, and every process that has the one needs the other.
    PHONE_SECRET: kept.hostTokenSecret,
  }
}
