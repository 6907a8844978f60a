import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"
import { settingsKey } from "./keys.ts"

/** Peppers the HMAC of API keys. A new one makes every API key void. */
const madePepper = secret("ApiKeyPepper", operator.versions.API_KEY_PEPPER_VERSION).current
export const apiKeyPepper = operator.pepper ? $util.secret(operator.pepper) : madePepper

/**
 * Signs the API's calls to session hosts. Both sides also accept the previous version, since hosts are
 * replaced after a deploy.
 */
export const hostTokenSecret = secret("HostTokenSecret", operator.versions.HOST_TOKEN_VERSION)

/**
 * The secret under which the numbers of linked phones are hashed. It is never rotated: no phone could be
 * found by its number any more.
 */
export const phoneSecret = secret("PhoneSecret", 1).current

/**
 * Proves to the functions that a request came through the router, and with it the viewer's address. The
 * functions accept the previous secret as well: the router learns of a new one minutes after them.
 */
export const routerSecret = secret("RouterSecret", operator.versions.ROUTER_SECRET_VERSION)

/** Where Systems Manager has the secrets of session hosts. */
export const hostSecretsFolder = `/${$app.name}/${$app.stage}/hosts`

/**
 * A task reads its secrets once, when it starts. Only another name of a secret makes another task definition,
 * and only that makes the sweep replace the hosts. So each version of the token is a parameter of its own.
 * Older ones stay: until the sweep knows the new definition, it starts hosts that read them.
 */
const hostTokenParameters = hostTokenSecret.versions.map((value, i) =>
  hostParameter(`HostTokenParameter${i + 1}`, `HOST_TOKEN_SECRET/${i + 1}`, value),
)
const [hostToken, hostTokenBefore] = hostTokenParameters.toReversed()

/** The secrets of a task that holds sessions, by the names of their variables. */
export const hostSecrets = {
  HOST_TOKEN_SECRET: hostToken.arn,
  ...(hostTokenBefore && { HOST_TOKEN_SECRET_BEFORE: hostTokenBefore.arn }),
  PHONE_SECRET: hostParameter("PhoneParameter", "PHONE_SECRET", phoneSecret).arn,
}

function hostParameter(name: string, path: string, value: $util.Output<string>) {
  return new aws.ssm.Parameter(name, {
    name: `${hostSecretsFolder}/${path}`,
    type: "SecureString",
    keyId: settingsKey.arn,
    value,
  })
}

/**
 * The value is random, since no person has to know it. Each version is a resource of its own, and earlier
 * versions stay: they are protected, so a slip in this file cannot lose one, and Pulumi refuses to replace a
 * protected resource.
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
