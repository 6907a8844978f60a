import { operator, comparedSettings } from "./settings.ts"

const folder = `/${$app.name}/${$app.stage}/deployed`

/**
 * If one of these were missing, something would be taken away in silence: mails, the customers' address,
 * sandboxes, keys or subscriptions; or every host would be replaced.
 */
const lasting = [
  "ALARM_EMAIL",
  "DOMAIN",
  "SANDBOX",
  "WAF",
  "HOST_SESSIONS",
  "SPOT",
  "MAIL_FROM",
  "API_KEY_PEPPER",
  "BILLING",
]

/**
 * Compares the settings of this deploy with those that the last one left in Systems Manager, and leaves its
 * own there.
 * @throws where a setting of the last deploy is missing, or where a secret would go back to an earlier
 * version, or skip one
 */
export async function compareWithLastDeploy(): Promise<void> {
  const { names, values } = await aws.ssm.getParametersByPath({ path: folder })
  const last = new Map(names.map((name, i) => [name.slice(folder.length + 1), values[i]]))
  if (last.size === 0 && !operator.pepper) await refuseBesideAnother()
  const faults = [
    ...alarming(),
    ...lasting.flatMap((name) => missing(name, last.get(name))),
    ...[...last].flatMap(([name, value]) => (name.endsWith("_VERSION") ? misstepped(name, value) : [])),
    ...overridden(last.get("API_KEY_PEPPER_VERSION")),
  ]
  if (faults.length > 0)
    throw new Error(`${faults.join("; ")}. Settings of this stage belong in stages/${$app.stage}.env`)
  for (const [name, value] of Object.entries(comparedSettings))
    new aws.ssm.Parameter(`Deployed-${name}`, { name: `${folder}/${name}`, type: "String", value })
}

/**
 * There was no deploy of this stage here. Something may have its names all the same: a stage in another
 * region, whose policy for operators has the same name and would end this deploy half-way; or the tables of a
 * stage that was removed, beside which this one would begin empty.
 * @throws if so
 */
async function refuseBesideAnother(): Promise<void> {
  const named = `^${$app.name}-${$app.stage}-`
  const { names: roles } = await aws.iam.getRoles({ nameRegex: `${named}ApiRole-` })
  const { names: all } = await aws.dynamodb.getTables()
  const tables = all.filter((name) => new RegExp(`${named}[A-Z][a-z]+Table-`).test(name))
  const found = [...roles, ...tables]
  if (found.length === 0) return
  throw new Error(
    `this account has parts of a stage "${$app.stage}" that was not deployed in this region, or was removed (${found.join(", ")}): ` +
      "set AWS_REGION to where it is, take another stage name, or put the removed stage's API_KEY_PEPPER back (docs/deploy.md)",
  )
}

function alarming(): string[] {
  if ($app.stage !== "production" || comparedSettings.ALARM_EMAIL) return []
  return ["ALARM_EMAIL is not set: nobody would be told of an alarm"]
}

/** An empty value says that the setting is to go. */
function missing(name: string, last: string | undefined): string[] {
  if (last === undefined || process.env[name] !== undefined) return []
  return [`${name} is not set, and the last deploy had "${last}": set it, or set it to nothing`]
}

/**
 * Refuses a version that is lower, or is raised by more than one: the service accepts only the former secret
 * beside the new one.
 */
function misstepped(name: string, last: string): string[] {
  const [given, before] = [Number(comparedSettings[name]), Number(last)]
  const said = `${name} is ${given}, and the last deploy had ${before}`
  if (given < before) return [`${said}: set it to ${before} or more`]
  return given > before + 1 ? [`${said}: raise it by one at each deploy`] : []
}

/** Refuses to raise the version of a pepper that was given: such a pepper is in use whatever the version. */
function overridden(last = "1"): string[] {
  if (!operator.pepper || operator.versions.API_KEY_PEPPER_VERSION <= Number(last)) return []
  return [
    "API_KEY_PEPPER_VERSION is raised, which changes nothing while API_KEY_PEPPER is given: set API_KEY_PEPPER to nothing, or do not raise its version",
  ]
}
