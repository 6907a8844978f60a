// Runs on https://web.whatsapp.com, the only page on which a browser uses the passkey of a WhatsApp account.
// It does nothing until a page of the service (service.js) leads here with a request, and uses no passkey
// until you press its button.
/* global service */
const sign = "#bridge-passkey="

/**
 * What a page of the service asks for. Undefined if another site led here: the browser itself names the site,
 * and no site can make it name another one.
 */
function requestBehind({ hash, pathname, search }, referrer) {
  if (!hash.startsWith(sign) || referrer === "" || new URL(referrer).origin !== service) return undefined
  // WhatsApp's own scripts have not run yet, and need not see it.
  history.replaceState(null, "", pathname + search)
  const { options, page, linksTo } = JSON.parse(decodeURIComponent(hash.slice(sign.length)))
  const back = new URL(page, service)
  return back.origin === service ? { options, back, linksTo } : undefined
}

/**
 * Has the browser sign the challenge. Nothing else is asked of the passkey: WebAuthn's `extensions` can give
 * away secrets.
 */
async function signed({ challenge, rpId, timeout, userVerification, allowCredentials }) {
  const asked = { challenge, rpId, timeout, userVerification, allowCredentials }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked)
  const { id, rawId, type, response } = (await navigator.credentials.get({ publicKey })).toJSON()
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
}

const whys = {
  NotAllowedError: "No passkey was used, or the time was over. Try again, or go back.",
  SecurityError: "The browser does not let this page use the passkey. Go back, and begin again.",
}

/**
 * Asks the person. Only a press of theirs counts: the page's scripts see nothing of the dialog, and their
 * clicks are not trusted.
 */
function showDialog({ options, back, linksTo }) {
  const host = document.createElement("div")
  const root = host.attachShadow({ mode: "closed" })
  const style = new CSSStyleSheet()
  style.replaceSync(look)
  root.adoptedStyleSheets = [style]

  const dialog = part("dialog")
  const said = part("p")
  said.setAttribute("role", "alert")
  const use = part("button", "Use my passkey")
  const leave = part("button", "Go back")
  use.className = "main"
  // Enter, pressed a moment too late for the page before, must not be consent.
  leave.autofocus = true
  dialog.append(
    part("h1", `Let ${back.host} use your WhatsApp account?`),
    part("p", `A phone is being linked there for: ${linksTo}`),
    part("p", "It becomes a linked device: it can read your messages and send messages as you."),
    part(
      "p",
      "Go on only if you scanned or typed a code there just now. If somebody sent you here, go back.",
    ),
    use,
    leave,
    said,
  )

  use.addEventListener("click", async ({ isTrusted }) => {
    if (!isTrusted) return
    said.textContent = ""
    use.disabled = true
    try {
      const answer = encodeURIComponent(JSON.stringify(await signed(options)))
      location.replace(`${back.href}#passkey=${answer}`)
    } catch (error) {
      use.disabled = false
      said.textContent = whys[error.name] ?? `That did not work: ${error.message}`
    }
  })
  leave.addEventListener("click", () => location.replace(back.href))
  // Escape would leave an empty page behind.
  dialog.addEventListener("cancel", (event) => event.preventDefault())

  root.append(dialog)
  document.documentElement.append(host)
  dialog.showModal()
}

function part(tag, text = "") {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

const look = `
  dialog { box-sizing: border-box; width: min(30rem, 92vw); padding: 1.5rem; border: 1px solid #8888; border-radius: 0.75rem;
    background: Canvas; color: CanvasText; color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  dialog::backdrop { background: #000b; }
  h1 { margin: 0 0 0.75rem; font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
  p { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
  button { margin: 0.25rem 0.5rem 0.5rem 0; padding: 0.6rem 1rem; border: 1px solid #8888; border-radius: 0.5rem;
    font: inherit; cursor: pointer; }
  button.main { border-color: #0a6b4f; background: #0a6b4f; color: #fff; }
  button:disabled { opacity: 0.6; cursor: default; }
`

const request = requestBehind(location, document.referrer)
if (request) addEventListener("DOMContentLoaded", () => showDialog(request), { once: true })
