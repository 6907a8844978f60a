import { settingsKey } from "./keys.ts"

/** Peppers the HMAC of API keys. A new one makes every API key void. */
export const apiKeyPepper = secret("ApiKeyPepper", 1)

/** Signs the API's calls to session hosts. */
export const hostTokenSecret = secret("HostTokenSecret", 1)

/** Proves to the API that a request came through the router, and with it the viewer's address. */
export const routerSecret = secret("RouterSecret", 1)

/** As session hosts get it. Functions get theirs in an environment encrypted under the settings key. */
export const hostTokenParameter = new aws.ssm.Parameter("HostTokenParameter", {
  name: `/${$app.name}/${$app.stage}/HOST_TOKEN_SECRET`,
  type: "SecureString",
  keyId: settingsKey.arn,
  value: hostTokenSecret,
})

/** Nobody has to know it, so nobody chooses it. A higher version is a new one. */
function secret(name: string, version: number) {
  const made = new random.RandomPassword(name, {
    length: 48,
    special: false,
    keepers: { version: String(version) },
  })
  return $util.secret(made.result)
}
