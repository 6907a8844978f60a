import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { resolve } from "node:path"
import "#core/platform/zod-sentences.ts"
import ipaddr from "ipaddr.js"
import { z } from "zod"

const port = (otherwise: number) =>
  z.coerce
    .number("must be a whole number from 0 to 65535")
    .refine(
      (given) => Number.isInteger(given) && given >= 0 && given <= 65_535,
      "must be a whole number from 0 to 65535",
    )
    .default(otherwise)

const count = (least: number, otherwise: number) =>
  z.coerce
    .number(`must be a whole number from ${least}`)
    .refine((given) => Number.isInteger(given) && given >= least, `must be a whole number from ${least}`)
    .default(otherwise)

const ranges = z
  .string()
  .refine(
    (text) => text === "" || text.split(",").every((range) => ipaddr.isValidCIDR(range.trim())),
    "must be ranges as 10.0.0.0/8, comma separated",
  )

/** The folder in which the commands on this machine keep their data. */
export const DataDir = z
  .string()
  .default(".data")
  .transform((path) => resolve(path))

const network = z.enum(["simulated", "live"], 'must be "simulated" or "live" (real numbers)')

/** Where backups are made, and what they are sealed with. */
const ofBackups = {
  /** The folder of the backups, best on another disk. Without one, none are made. */
  BACKUP_DIR: z
    .string()
    .default("")
    .transform((path) => path && resolve(path)),
  /** The passphrase under which backups are sealed: without it they cannot be read, not even by you. */
  BACKUP_PASSPHRASE: z.string().default(""),
  /** The file that holds the passphrase, in place of the setting. */
  BACKUP_PASSPHRASE_FILE: z.string().default(""),
  /** How many backups are kept. */
  BACKUP_KEEP: count(1, 48),
}

/** The passphrase under which bridges are sealed that move to another service, or come from one. */
const ofMoves = {
  MOVE_PASSPHRASE: z.string().default(""),
  /** The file that holds the passphrase, in place of the setting. */
  MOVE_PASSPHRASE_FILE: z.string().default(""),
}

/** The passphrase of the commands that move bridges; undefined where none is set. */
export const MovePassphrase = z
  .object(ofMoves)
  .transform((given, context) =>
    passphraseOf("MOVE_PASSPHRASE", given.MOVE_PASSPHRASE, given.MOVE_PASSPHRASE_FILE, context),
  )

/** The shortest passphrase, in characters: a thief of a backup may try as many as they like. */
const shortestPassphrase = 20

/** What the commands about backups read. Undefined where no passphrase is set. */
export const BackupSettings = z.object(ofBackups).transform(backupsOf)
export type BackupSettings = NonNullable<z.infer<typeof BackupSettings>>

/** What a person may set for the service on one machine, however it is run. */
const common = z.object({
  /** The port of the simulated network's control API, for its phones. */
  SIMULATOR_CONTROL_PORT: port(8788),
  /** The folder for all data; each network needs its own. */
  DATA_DIR: DataDir,
  /** `live`: real numbers. */
  HOST_NETWORK: network,
  /** Whether each account has a sandbox bridge, on the simulated network. That runs here then. */
  SANDBOX: z.enum(["0", "1"], 'must be "1" or "0"').optional(),
  /** Further names, comma separated, under which programs and proxies call the service. */
  OTHER_NAMES: z
    .string()
    .default("")
    .transform((text) =>
      text
        .toLowerCase()
        .split(",")
        .flatMap((name) => name.trim() || []),
    ),
  /** Address ranges (CIDR, comma separated) that webhooks and media may use although they are not public. */
  URL_ALLOW: ranges,
  /**
   * `pretend`: subscriptions are paid at a pretend Stripe, where no money moves. `stripe`: at Stripe itself.
   */
  BILLING: z.enum(["", "pretend", "stripe"], 'must be "pretend", "stripe" or nothing').default(""),
  STRIPE_SECRET_KEY: z.string().default(""),
  STRIPE_WEBHOOK_SECRET: z.string().default(""),
  STRIPE_PRICE: z.string().default(""),
  /** Where the dashboard is, if people reach it elsewhere than the service is reached. */
  DASHBOARD_URL: z.string().default(""),
  /** The port of the pretend Stripe. */
  PRETEND_STRIPE_PORT: port(8789),
  /**
   * The capacity of a session host. Few processes are best on one machine, since each takes 200 MB for
   * itself.
   */
  HOST_CAPACITY: count(1, 100),
  /**
   * For how many more sessions than bridges need there is always room: a process starts in a second or two.
   */
  HOST_SPARE: count(0, 0),
})

/** What only `npm start` is told. */
const ofStart = {
  /** The port of the API. */
  PORT: port(8787),
  HOST_NETWORK: network.default("simulated"),
  URL_ALLOW: ranges.default("127.0.0.0/8,::1/128"),
  // Ten times what a customer of a shared service gets: here the machine is the caller's own.
  RATE_LIMIT_PROVISION: count(1, 100),
  RATE_LIMIT_PROXY: count(1, 1200),
  RATE_LIMIT_OTHER: count(1, 1200),
  RATE_LIMIT_ADDRESS: count(1, 3000),
}

/** The settings of `npm start`, which is for trying the service. */
export const Settings = consistent(common.extend(ofStart)).transform((given) => ({
  ...given,
  listen: { host: "127.0.0.1", port: given.PORT },
  serving: undefined,
}))

/** What only `npm run serve` is told. */
const ofServe = {
  HOST_NETWORK: network.default("live"),
  URL_ALLOW: ranges.default(""),
  /** The address and port of the API, behind the proxy that speaks https. */
  LISTEN: z
    .string()
    .default("127.0.0.1:8787")
    .transform((text) => addressAndPort(text))
    .refine((given) => given !== undefined, "must be an address and a port, as 127.0.0.1:8787 or [::1]:8787"),
  /** Where people and programs reach the service. */
  PUBLIC_URL: z
    .string("is missing: the address at which people reach the service, as https://wa.example.com")
    .refine(isOrigin, "must be https and a host alone, as https://wa.example.com")
    .transform((text) => new URL(text).origin),
  /** The proxies whose word about the address of a request's caller is believed. */
  TRUST_PROXY: ranges.default("127.0.0.0/8,::1/128"),
  /** The operator: the owner of the first account, and the address of alerts. */
  OPERATOR_EMAIL: z.email("must be your own e-mail address: you sign in with it, and alerts go there"),
  /** The mail server, with its user and password. Without one, no mail is sent. */
  SMTP_URL: z
    .union([z.literal(""), z.url({ protocol: /^smtps?$/ })], {
      error: "must be as smtps://user:password@mail.example.com",
    })
    .default(""),
  /** The address that mail is sent from. */
  MAIL_FROM: z.union([z.literal(""), z.email()], { error: "must be an e-mail address" }).default(""),
  /** Where alerts are posted, besides the operator's mail. */
  ALERT_URL: z.union([z.literal(""), z.url()], { error: "must be a URL" }).default(""),
  /** The token that a caller of `/metrics` has to send; without one there is no such page. */
  METRICS_TOKEN: z
    .string()
    .refine(
      (text) => text === "" || text.length >= 32,
      "must have at least 32 characters: `openssl rand -hex 24` makes some",
    )
    .default(""),
  ...ofBackups,
}

/** The settings of `npm run serve`, which is for customers. */
export const ServeSettings = consistent(common.extend(ofServe))
  .refine(({ SMTP_URL, MAIL_FROM }) => (SMTP_URL === "") === (MAIL_FROM === ""), {
    path: ["MAIL_FROM"],
    message: "SMTP_URL and MAIL_FROM go together: the mail server, and the address that mail is sent from",
  })
  .refine(
    ({ BACKUP_DIR: dir, ...given }) => !dir || given.BACKUP_PASSPHRASE || given.BACKUP_PASSPHRASE_FILE,
    {
      path: ["BACKUP_PASSPHRASE"],
      message: "is missing: backups are sealed under it",
    },
  )
  .transform(({ LISTEN, ...given }, context) => {
    const backups = given.BACKUP_DIR === "" ? undefined : backupsOf(given, context)
    return { ...given, listen: LISTEN, serving: { ...given, backups } }
  })

/** What else a person may set: `core/platform/config.ts` reads these. */
const ofCore = [
  "BILLING_URL",
  "DNS_SERVERS",
  "LOG_LEVEL",
  "RATE_LIMIT_PROVISION",
  "RATE_LIMIT_PROXY",
  "RATE_LIMIT_OTHER",
  "RATE_LIMIT_ADDRESS",
  "RECORD",
  "STORAGE_ACCOUNT_MB",
  "STORAGE_RESERVE_MB",
  "STRIPE_API_BASE",
  "SUPPORT_EMAIL",
  "WHATSAPP_WEB_VERSION",
]

/** The names of all settings that a person may make on one machine (docs/settings.md). */
export const settingNames: ReadonlySet<string> = new Set([
  ...Object.keys({ ...common.shape, ...ofStart, ...ofServe, ...ofMoves }),
  ...ofCore,
])

/** What the service is told, whichever way it is run. */
export type Settings = z.infer<typeof Settings> | z.infer<typeof ServeSettings>

/** The settings of a service that customers use. A service that is only tried out has none of them. */
export type Serving = z.infer<typeof ServeSettings>["serving"]

/** Adds what follows from other settings, and refuses those that do not go together. */
function consistent<Given extends z.infer<typeof common>>(schema: z.ZodType<Given>) {
  return schema
    .transform((given) => ({
      ...given,
      SANDBOX: given.SANDBOX ?? (given.HOST_NETWORK === "simulated" ? "1" : "0"),
    }))
    .refine(
      ({ BILLING, ...given }) =>
        BILLING !== "stripe" ||
        (given.STRIPE_SECRET_KEY && given.STRIPE_WEBHOOK_SECRET && given.STRIPE_PRICE),
      {
        path: ["BILLING"],
        message: "`stripe` needs STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE (docs/billing.md)",
      },
    )
}

function backupsOf(given: z.infer<z.ZodObject<typeof ofBackups>>, context: z.RefinementCtx) {
  const { BACKUP_PASSPHRASE: said, BACKUP_PASSPHRASE_FILE: file } = given
  const passphrase = passphraseOf("BACKUP_PASSPHRASE", said, file, context)
  return passphrase === undefined ? undefined : { dir: given.BACKUP_DIR, passphrase, keep: given.BACKUP_KEEP }
}

/** The passphrase that a setting has, or the file that is named in its place; undefined without either. */
function passphraseOf(name: string, said: string, file: string, context: z.RefinementCtx) {
  const refuse = (message: string) => {
    context.addIssue({ code: "custom", path: [file ? `${name}_FILE` : name], message })
    return z.NEVER
  }
  if (said && file) return refuse(`goes without ${name}: it is one or the other`)
  if (!said && !file) return undefined
  const passphrase = file ? firstLineOf(file) : said
  if (passphrase === undefined) return refuse(`${file} cannot be read`)
  if (passphrase.length < shortestPassphrase)
    return refuse(`must have at least ${shortestPassphrase} characters: \`openssl rand -hex 24\` makes some`)
  return passphrase
}

function firstLineOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").split("\n")[0]!.trimEnd()
  } catch {
    // The caller says so.
    return undefined
  }
}

function addressAndPort(text: string): { host: string; port: number } | undefined {
  const [, host = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const bare = host.replace(/^\[|\]$/g, "")
  return isIP(bare) !== 0 && Number(digits) <= 65_535 ? { host: bare, port: Number(digits) } : undefined
}

/** Cookies and passkeys are bound to the host, and browsers take both over https alone. */
function isOrigin(text: string): boolean {
  return (
    URL.canParse(text) &&
    new URL(text).protocol === "https:" &&
    `${new URL(text).origin}/` === new URL(text).href
  )
}
