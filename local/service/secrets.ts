import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { z } from "zod"
import { privateFile } from "./private-file.ts"

const Secrets = z.object({ apiKeyPepper: z.string(), hostTokenSecret: z.string() })

/**
 * The secrets of one machine, as the environment of its processes. They are made at the first start and kept in files
 * of mode 600.
 */
export async function secrets(dataDir: string): Promise<Record<string, string>> {
  const kept = await privateFile(join(dataDir, "secrets.json"), Secrets, () => ({
    apiKeyPepper: randomBytes(32).toString("base64url"),
    hostTokenSecret: randomBytes(32).toString("base64url"),
  }))
  return {
    API_KEY_PEPPER: kept.apiKeyPepper,
    HOST_TOKEN_SECRET: kept.hostTokenSecret,
  }
}
