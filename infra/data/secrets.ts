import { settingsKey } from "./keys.ts"
import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"

/** Peppers the HMAC of API keys. A new one makes every API key void. */
const madePepper = secret("ApiKeyPepper", operator.versions.API_KEY_PEPPER_VERSION).current
export const apiKeyPepper = operator.pepper ? $util.secret(operator.pepper) : madePepper

/**
 * Signs the API's calls to session hosts. Both sides also accept the previous version, since hosts are replaced after a
 * deploy.
 */
export const hostTokenSecret = secret("HostTokenSecret", operator.versions.HOST_TOKEN_VERSION)

/**
 * Proves to the functions that a request came through the router, and with it the viewer's address. They accept the
 * previous one as well: the router learns of a new one minutes after them.
 */
export const routerSecret = secret("RouterSecret", operator.versions.ROUTER_SECRET_VERSION)

/** The path of the session hosts' token secret: a parameter for each version. */
export const hostTokens = `/${$app.name}/${$app.stage}/HOST_TOKEN_SECRET`

/**
 * As session hosts get them. A task reads its secrets once, when it starts: only another name makes another task definition,
 * and only that makes the sweep replace the hosts. Older parameters stay: until then the sweep starts hosts that read them.
 */
const hostTokenParameters = hostTokenSecret.versions.map(
  (value, i) =>
    new aws.ssm.Parameter(`HostTokenParameter${i + 1}`, {
      name: `${hostTokens}/${i + 1}`,
      type: "SecureString",
      keyId: settingsKey.arn,
      value,
    }),
)

/** The secrets of a task that holds sessions, by the names of their variables. */
export const hostSecrets = Object.fromEntries(
  hostTokenParameters
    .slice(-2)
    .toReversed()
    .map(({ arn }, i) => [i === 0 ? "HOST_TOKEN_SECRET" : "HOST_TOKEN_SECRET_BEFORE", arn]),
)

/**
 * The value is random, since nobody has to know it. Each version is a resource of its own, and earlier versions stay: they
 * are protected, so a slip in this file cannot lose one, and Pulumi refuses to replace a protected resource.
 */
function secret(name: string, version: number) {
  const versions = Array.from({ length: version }, (_, i) => {
    const made = new random.RandomPassword(
      `${name}${i + 1}`,
      { length: 48, special: false },
      { protect: stage.kept && !operator.removable, retainOnDelete: stage.kept },
    )
    return $util.secret(made.result)
  })
  const [current, before] = versions.toReversed()
  return { current, before, versions }
}
