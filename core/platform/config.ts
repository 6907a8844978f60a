import { isIP } from "node:net"
import ipaddr from "ipaddr.js"
import { z } from "zod"
import { standingFor } from "./lazily.ts"
import "./zod-sentences.ts"

const flag = z
  .enum(["", "0", "1"])
  .default("")
  .transform((value) => value === "1")

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  )

const ranges = list
  .refine(
    (given) => given.every((range) => ipaddr.isValidCIDR(range)),
    "must be address ranges, as 10.0.0.0/8,fd00::/8",
  )
  .transform((given) => given.map((range) => ipaddr.parseCIDR(range)))

/** A URL to send people to; `""`: there is none. */
const page = z
  .string()
  .refine(
    (text) => text === "" || (/^https?:/i.test(text) && URL.canParse(text)),
    "must be a URL, as https://example.com",
  )
  .default("")

/** As `node:dns` takes it: an address, perhaps with a port. */
function isServer(text: string): boolean {
  const url = isIP(text) === 6 ? `dns://[${text}]` : `dns://${text}`
  return URL.canParse(url) && isIP(new URL(url).hostname.replace(/^\[|\]$/g, "")) !== 0
}

/** The settings that an environment may hold. */
export const Config = z.object({
  /** `production` refuses webhooks over plain http. */
  STAGE: z.string().default("local"),
  /** Where log lines go instead of the standard output. */
  LOG_FILE: z.string().optional(),
  /** Where the logs are kept that the customers of bridges see: a folder, or a log group of CloudWatch. */
  LOG_DIR: z.string().optional(),
  LOG_GROUP: z.string().optional(),
  /**
   * The folder, for its owner alone, of the sockets at which processes on one machine answer each other:
   * `http://kms.sock` is its `kms.sock`. Absent where they are reached by addresses.
   */
  SOCKET_DIR: z.string().optional(),
  /** The folder whose disk must not become full; absent where no disk is ours. */
  STORAGE_DIR: z.string().optional(),
  /** With less room than this many MB, nothing is sent and no bridge is created. */
  STORAGE_RESERVE_MB: z.coerce.number().int().min(0).default(200),
  /**
   * How many MB the files of an account may take up there: uploads, received media, and those on their way.
   */
  STORAGE_ACCOUNT_MB: z.coerce.number().int().min(0).default(2000),
  /** The service that writes metrics into its log; absent: none are written. */
  METRICS_SERVICE: z
    .enum(["api", "dashboard", "delivery", "sweep", "session-host", "subscriptions", "troubles", "service"])
    .optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),

  ACCOUNTS_TABLE: z.string().default("Accounts"),
  LEASES_TABLE: z.string().default("Leases"),
  SESSIONS_TABLE: z.string().default("Sessions"),
  EVENTS_TABLE: z.string().default("Events"),
  REQUESTS_TABLE: z.string().default("Requests"),
  DOORBELL_URL: z.string().optional(),
  /** Where session hosts put the files of received messages for customers. */
  MEDIA_BUCKET: z.string().optional(),

  /** The function that answers what the stream function does not. */
  API_FUNCTION: z.string().optional(),

  /** The function that calls session hosts for this process, which is not in their network. */
  CALLS_FUNCTION: z.string().optional(),

  /** Peppers the HMAC under which API keys are stored. */
  API_KEY_PEPPER: z.string().min(32).optional(),
  /**
   * The secret that the router sends with each request. If it is set, requests without it are not answered,
   * and a request with it is believed about its caller's address. Not set where there is no router.
   */
  ROUTER_SECRET: z.string().min(32).optional(),
  /** The previous secret, which the router goes on sending for some minutes after a change. */
  ROUTER_SECRET_BEFORE: z.string().min(32).optional(),
  /**
   * Where people and programs reach the service of one machine behind a proxy; `""`: at the host that a
   * request names.
   */
  PUBLIC_URL: page,
  /** The proxies that are believed about the address of a request's caller (`X-Forwarded-For`). */
  TRUST_PROXY: ranges,
  /** Contract, "Rate limits": requests a minute: per API key, and per address. */
  RATE_LIMIT_PROVISION: z.coerce.number().int().min(1).default(10),
  RATE_LIMIT_PROXY: z.coerce.number().int().min(1).default(120),
  RATE_LIMIT_OTHER: z.coerce.number().int().min(1).default(120),
  RATE_LIMIT_ADDRESS: z.coerce.number().int().min(1).default(300),
  /** Signs the API's calls to session hosts. */
  HOST_TOKEN_SECRET: z.string().min(32).optional(),
  /** The previous secret, which is accepted as well until every process knows the new one. */
  HOST_TOKEN_SECRET_BEFORE: z.string().min(32).optional(),
  /** The key under which the numbers of linked phones are hashed, so that one can be looked up. */
  PHONE_SECRET: z.string().min(32).optional(),
  /** The KMS keys under which the two data keys of each bridge are wrapped. */
  SESSION_WRAPPING_KEY: z.string().optional(),
  DELIVERY_WRAPPING_KEY: z.string().optional(),

  /**
   * Whether each account has a sandbox bridge on the simulated network. There must be hosts of that network.
   */
  SANDBOX: flag,
  /** The address that mail is sent from; `""`: no mail is sent. */
  MAIL_FROM: z.union([z.literal(""), z.email()], "must be an e-mail address").default(""),
  /** The operator's address for customers' questions; `""`: pages name none. */
  SUPPORT_EMAIL: z.union([z.literal(""), z.email()], "must be an e-mail address").default(""),
  DASHBOARD_URL: page,
  BILLING_URL: page,
  /**
   * Where subscriptions are paid: at Stripe, or at a pretend one, where no money moves. Empty: there is no
   * billing.
   */
  BILLING: z.enum(["", "pretend", "stripe"]).default(""),
  /**
   * Only processes that speak to Stripe have these: its key, the secret of its webhooks, the price of a
   * number.
   */
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_PRICE: z.string().min(1).optional(),
  /** Where Stripe's API is, unless it is Stripe's own. */
  STRIPE_API_BASE: z.url().optional(),
  /** Address ranges (CIDR, comma separated) that strangers' URLs may reach although they are not public. */
  URL_ALLOW: ranges,
  /**
   * The name servers that are asked for the names in strangers' URLs: addresses, with ports; empty: this
   * machine's.
   */
  DNS_SERVERS: list.refine(
    (servers) => servers.every((server) => isServer(server)),
    "must be addresses of name servers, as 10.0.0.2 or 10.0.0.2:53 or [fd00::2]:53",
  ),

  /** New for each start of a session host's process. */
  HOST_ID: z.string().optional(),
  HOST_CAPACITY: z.coerce.number().int().min(1).default(20),
  /** Sessions for which there is room although no bridge needs it yet. */
  HOST_SPARE: z.coerce.number().int().min(0).default(5),
  /** Hosts are started on Fargate Spot, as long as it has room. */
  HOST_SPOT: flag,
  /**
   * Where the API reaches a session host. By default the task's address as ECS gives it; outside ECS, this
   * machine.
   */
  HOST_ADDRESS: z.string().min(1).optional(),
  /** The address that a session host listens on, if it differs from the one at which it is reached. */
  HOST_BIND: z.string().min(1).optional(),
  /** Set by ECS: where a container reads its own description. */
  ECS_CONTAINER_METADATA_URI_V4: z.url().optional(),
  HOST_PORT: z.coerce.number().int().min(0).default(0),
  HOST_NETWORK: z.enum(["live", "simulated"]).default("live"),
  /**
   * The version of WhatsApp Web that sessions claim to be. By default the service asks for the current one.
   */
  WHATSAPP_WEB_VERSION: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/, "must be three numbers, such as 2.3000.1023456789")
    .optional(),
  SIMULATOR_URL: z.string().optional(),
  /** The folder where the structure of incoming stanzas is recorded, without their content. */
  RECORD: z.string().min(1).optional(),
  /** Where the phones of the simulated network are controlled, for the sandbox's phone on the dashboard. */
  SIMULATOR_CONTROL_URL: z.string().optional(),
  /** The simulated network's root public key, hex. */
  SIMULATOR_ROOT_KEY: z.string().optional(),
  /** A session host beats this often; every other time of a lease is a multiple of it. */
  LEASE_BEAT_MS: z.coerce.number().int().min(50).default(5000),

  /**
   * How long a claim on the delivery of a bridge is good for, in seconds: half as much again as an invocation
   * may run, less than a doorbell stays hidden. The other times of a delivery are shares of it.
   */
  DELIVERY_CLAIM_S: z.coerce.number().int().min(3).default(90),
  /** How many deliveries of an account to receivers that fail run at once, where each has its own process. */
  FAILING_PLACES: z.coerce.number().int().min(1).default(100),
  /**
   * How long a bell that found a delivery at work trusts it to see further events, in ms. Until then the bell
   * does not look again. If the delivery has just ended, the next event is late by this at most.
   */
  BELL_TRUSTS_MS: z.coerce.number().int().min(0).default(100),
  /** How long a claim on an Idempotency-Key lasts, in seconds: 5 more than any call takes. */
  KEY_CLAIM_S: z.coerce.number().int().min(1).default(55),

  ECS_CLUSTER: z.string().default("default"),
  ECS_TASK_DEFINITION: z.string().default("session-host"),
  /** The subnets in which tasks of session hosts start; empty on one machine. */
  ECS_SUBNETS: list,
  ECS_SECURITY_GROUPS: list,
  /** Set where the parent process ends its children by closing their channel. */
  LOCAL_PARENT: flag,
  /** Set by Lambda. It freezes a process between two invocations. */
  AWS_LAMBDA_FUNCTION_NAME: z.string().optional(),
  /** Where AWS's services are, if not at Amazon's own addresses (`serviceAt`). */
  AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: z.url().optional(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url().optional(),
  AWS_ENDPOINT_URL_ECS: z.url().optional(),
  AWS_ENDPOINT_URL_KMS: z.url().optional(),
  AWS_ENDPOINT_URL_LAMBDA: z.url().optional(),
  AWS_ENDPOINT_URL_S3: z.url().optional(),
  AWS_ENDPOINT_URL_SESV2: z.url().optional(),
  AWS_ENDPOINT_URL_SQS: z.url().optional(),
})

type Config = z.infer<typeof Config>

/** Variables by their names, as a process is started with them. */
export type Environment = Readonly<Record<string, string | undefined>>

let settings: Config | undefined

/**
 * Every setting of every process: what `configure` was given, else the environment that this process was
 * started with, which is read once, when the first setting is.
 * @throws ZodError at each reading while any setting is invalid
 */
export const config = standingFor(() => (settings ??= Config.parse(process.env)))

/**
 * Gives this process its settings, in place of those before. A client of AWS and the log keep what they were
 * made with, at their first use.
 * @throws ZodError if any of them is invalid
 */
export function configure(environment: Environment): void {
  settings = Config.parse(environment)
}

/** A setting without which this process cannot do what it was asked to. */
export function need<Name extends keyof Config>(name: Name): NonNullable<Config[Name]> {
  const value = config[name]
  if (value === undefined || value === null) throw new Error(`${name} is not set`)
  return value
}
