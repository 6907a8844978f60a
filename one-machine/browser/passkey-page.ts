import { strFromU8, type Unzipped } from "fflate"
import type { Browser, Page } from "puppeteer-core"
import { z } from "zod"
import type * as Schema from "#simulator/control/schemas.ts"

/** The passkey of a simulated account, with its private key. */
type Passkey = z.output<typeof Schema.Passkey>

const Manifest = z.object({
  content_scripts: z.tuple([z.object({ matches: z.tuple([z.string()]), js: z.array(z.string()) })]),
})

/** Headers that WhatsApp's page is likely to have, and that an extension must get along with. */
const whatsAppHeaders = [
  { name: "content-type", value: "text/html; charset=utf-8" },
  { name: "content-security-policy", value: "default-src 'self'; script-src 'self' 'nonce-page'" },
  { name: "cross-origin-opener-policy", value: "same-origin-allow-popups" },
]

/** The page that stands in for WhatsApp's: it writes down what a script of that page can see. */
const whatsAppPage = `<!doctype html><title>WhatsApp Web</title><body>
<script nonce="page">
  window.seen = { hash: location.hash, clicks: 0 }
  document.documentElement.querySelectorAll("*").forEach((one) => one.click())
</script>`

/**
 * A page of a browser on a device that has these passkeys, and whose user is always there to use them. No
 * request leaves for web.whatsapp.com: a page stands in for it, at that origin. `files` are the extension's,
 * for a browser that knows no extensions: the scripts that its manifest names run where and when it says, in
 * a world of their own.
 */
export async function passkeyPage(browser: Browser, passkeys: Passkey[], files?: Unzipped): Promise<Page> {
  const page = await browser.newPage()
  const client = await page.createCDPSession()
  await client.send("WebAuthn.enable")
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  for (const { credential_id, rp_id, private_key, user_handle, sign_count } of passkeys)
    await client.send("WebAuthn.addCredential", {
      authenticatorId,
      credential: {
        credentialId: base64(credential_id),
        isResidentCredential: true,
        rpId: rp_id,
        privateKey: private_key,
        userHandle: base64(user_handle),
        signCount: sign_count,
      },
    })

  client.on("Fetch.requestPaused", ({ requestId }) => {
    const body = Buffer.from(whatsAppPage).toString("base64")
    // The page may be gone meanwhile.
    client
      .send("Fetch.fulfillRequest", { requestId, responseCode: 200, responseHeaders: whatsAppHeaders, body })
      .catch(() => {})
  })
  await client.send("Fetch.enable", { patterns: [{ urlPattern: "https://web.whatsapp.com/*" }] })
  if (files) {
    await client.send("Page.enable")
    await client.send("Page.addScriptToEvaluateOnNewDocument", {
      source: contentScript(files),
      worldName: "the extension",
    })
  }
  return page
}

/** The scripts that the manifest names, for the one site that it names. */
function contentScript(files: Unzipped): string {
  // A manifest that names no file fails here, as it should.
  const text = (name: string) => strFromU8(files[name]!)
  const [{ matches, js }] = Manifest.parse(JSON.parse(text("manifest.json"))).content_scripts
  const site = JSON.stringify(matches[0].replace(/\*$/, ""))
  return `if (location.href.startsWith(${site})) {\n${js.map(text).join("\n")}\n}`
}

function base64(base64url: string): string {
  return Buffer.from(base64url, "base64url").toString("base64")
}
