import { settingsOfStage } from "./operator.ts"

const folder = `/${$app.name}/${$app.stage}/deployed`

/** Without these something would be taken away in silence: mails, the customers' address, sandboxes, keys or subscriptions. */
const lasting = ["ALARM_EMAIL", "DOMAIN", "SANDBOX", "WAF", "MAIL_FROM", "API_KEY_PEPPER", "BILLING"]

/**
 * Compares the settings of this deploy with those that the last one left in Systems Manager, and leaves its own there.
 * @throws where one is missing that the last deploy had, or a secret would go back to an earlier version
 */
export async function compareWithLastDeploy(): Promise<void> {
  const { names, values } = await aws.ssm.getParametersByPath({ path: folder })
  const last = new Map(names.map((name, i) => [name.slice(folder.length + 1), values[i]]))
  const faults = [
    ...alarming(),
    ...lasting.flatMap((name) => missing(name, last.get(name))),
    ...[...last].flatMap(([name, value]) => (name.endsWith("_VERSION") ? lowered(name, value) : [])),
  ]
  if (faults.length > 0)
    throw new Error(`${faults.join("; ")}. Settings of this stage belong into stages/${$app.stage}.env`)
  for (const [name, value] of Object.entries(settingsOfStage))
    new aws.ssm.Parameter(`Deployed-${name}`, { name: `${folder}/${name}`, type: "String", value })
}

function alarming(): string[] {
  if ($app.stage !== "production" || settingsOfStage.ALARM_EMAIL) return []
  return ["ALARM_EMAIL is not set: nobody would be told of an alarm"]
}

/** An empty value says that the setting is to go. */
function missing(name: string, last: string | undefined): string[] {
  if (last === undefined || process.env[name] !== undefined) return []
  return [`${name} is not set, and the last deploy had "${last}": set it, or set it to nothing`]
}

function lowered(name: string, last: string): string[] {
  const given = settingsOfStage[name]
  if (Number(given) >= Number(last)) return []
  return [`${name} is ${given}, and the last deploy had ${last}: set it to ${last} or more`]
}
