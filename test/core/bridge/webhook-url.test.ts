import ipaddr from "ipaddr.js"
import { expect, test } from "vitest"
import { parseWebhookUrl } from "#core/bridge/webhook-url.ts"
import { config } from "#core/platform/config.ts"

const inside = ["http://10.1.2.3:5678/hook", "http://localhost:5678/hook", "http://n8n:5678/hook"]
const outside = ["http://10.2.2.3/hook", "http://8.8.8.8/hook", "http://n8n.example.com/hook"]

test("in production plain http is taken inside the operator's own network, and nowhere else", () => {
  Object.assign(config, { STAGE: "production", URL_ALLOW: [ipaddr.parseCIDR("10.1.0.0/16")] })
  for (const url of inside) expect(parseWebhookUrl(url)).toBe(url)
  for (const url of outside) expect(() => parseWebhookUrl(url)).toThrow("https only")
})

test("in production without such a network there is no plain http at all", () => {
  Object.assign(config, { STAGE: "production", URL_ALLOW: [] })
  for (const url of [...inside, ...outside]) expect(() => parseWebhookUrl(url)).toThrow("https only")
})
