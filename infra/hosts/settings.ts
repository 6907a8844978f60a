import { bridgeLogs } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey, sessionKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { events, leases, requests, sessions } from "../data/tables.ts"
import { settings } from "../functions/common.ts"
import { hostPort } from "../network/groups.ts"
import { givenSettings } from "../stage/passed-on.ts"

/** The settings of every process that holds sessions. */
export const hostSettings = {
  ...settings,
  ...givenSettings("WHATSAPP_WEB_VERSION"),
  METRICS_SERVICE: "session-host",
  LOG_GROUP: bridgeLogs.name,
  LEASES_TABLE: leases.name,
  SESSIONS_TABLE: sessions.name,
  EVENTS_TABLE: events.name,
  REQUESTS_TABLE: requests.name,
  DOORBELL_URL: doorbell.url,
  MEDIA_BUCKET: media.name,
  SESSION_WRAPPING_KEY: sessionKey.arn,
  DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  HOST_PORT: String(hostPort),
}
