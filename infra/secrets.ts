import { settingsKey } from "./keys.ts"

/** Peppers the HMAC of API keys. A new one makes every API key void. */
export const apiKeyPepper = secret("ApiKeyPepper")

/** Signs the API's calls to session hosts. */
export const hostTokenSecret = secret("HostTokenSecret")

/** Proves to the API that a request came through the router, and with it the viewer's address. */
export const routerSecret = secret("RouterSecret")

/** As session hosts get it. Functions get theirs in an environment encrypted under the settings key. */
export const hostTokenParameter = new aws.ssm.Parameter("HostTokenParameter", {
  name: `/${$app.name}/${$app.stage}/HOST_TOKEN_SECRET`,
  type: "SecureString",
  keyId: settingsKey.arn,
  value: hostTokenSecret,
})

/** Nobody has to know it, so nobody chooses it. */
function secret(name: string) {
  return $util.secret(new random.RandomPassword(name, { length: 48, special: false }).result)
}
