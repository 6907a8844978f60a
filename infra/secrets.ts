import { settingsKey } from "./keys.ts"
import { operator, stage } from "./stage.ts"

/** Peppers the HMAC of API keys. A new one makes every API key void. */
export const apiKeyPepper = secret("ApiKeyPepper", operator.versions.API_KEY_PEPPER_VERSION).current

/** Signs the API's calls to session hosts. */
export const hostTokenSecret = secret("HostTokenSecret", operator.versions.HOST_TOKEN_VERSION).current

/**
 * Proves to the functions that a request came through the router, and with it the viewer's address. They take the one
 * before as well: the router learns of a new one minutes after them.
 */
export const routerSecret = secret("RouterSecret", operator.versions.ROUTER_SECRET_VERSION)

/**
 * As session hosts get it. Functions get theirs in an environment encrypted under the settings key. A task reads it once,
 * when it starts: only another name makes another task definition, and only that makes the sweep replace the hosts.
 */
export const hostTokenParameter = new aws.ssm.Parameter("HostTokenParameter", {
  name: `/${$app.name}/${$app.stage}/HOST_TOKEN_SECRET/${operator.versions.HOST_TOKEN_VERSION}`,
  type: "SecureString",
  keyId: settingsKey.arn,
  value: hostTokenSecret,
})

/**
 * Nobody has to know it, so nobody chooses it. Each version is a resource of its own, and those before it stay: Pulumi
 * refuses to replace what is protected, and a protected one is not lost by a slip in this file.
 */
function secret(name: string, version: number) {
  const versions = Array.from(
    { length: version },
    (_, i) =>
      new random.RandomPassword(
        `${name}${i + 1}`,
        { length: 48, special: false },
        { protect: stage.kept && !operator.removable, retainOnDelete: stage.kept },
      ),
  )
  const [current, before] = versions.toReversed().map(({ result }) => $util.secret(result))
  return { current, before }
}
