// A page of a messaging bridge leads here with a request in the address: `#bridge-passkey=<JSON>`, with the options of WebAuthn
// and where the answer goes. Without that, WhatsApp Web is left alone.
const marker = "#bridge-passkey="

if (location.hash.startsWith(marker)) {
  const text = location.hash.slice(marker.length)
  // WhatsApp Web must not run beside this, nor read the request.
  window.stop()
  history.replaceState(null, "", location.pathname)
  begin(text)
}

function begin(text) {
  const request = read(text)
  const body = document.createElement("body")
  body.style.cssText = "font: 18px/1.5 system-ui; max-width: 34em; margin: 4em auto; padding: 0 1em"
  const head = document.createElement("head")
  const root = document.createElement("html")
  root.append(head, body)
  document.replaceChildren(root)
  document.title = "Passkey"
  if (!request)
    return say(body, "This request cannot be read. Go back to the page that sent you here, and try again.")

  say(body, `${request.back.origin} wants to link your WhatsApp account.`)
  say(
    body,
    "It will then read and send your messages. Go on only if you are linking your phone there right now.",
  )
  const button = document.createElement("button")
  button.textContent = "Use my passkey"
  button.style.cssText = "font: inherit; padding: 0.5em 1em"
  const problem = document.createElement("p")
  problem.setAttribute("role", "alert")
  body.append(button, problem)
  button.addEventListener("click", () => void answer(request, problem))
}

async function answer({ back, options }, problem) {
  problem.textContent = ""
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const made = await navigator.credentials.get({ publicKey })
    back.hash = `passkey=${encodeURIComponent(JSON.stringify(made.toJSON()))}`
    location.replace(back)
  } catch (error) {
    problem.textContent = `That did not work: ${error.message} Try again.`
  }
}

// The answer goes to the page that is named to the person, and over the network never in the clear.
function read(text) {
  try {
    const { options, back } = JSON.parse(decodeURIComponent(text))
    const url = new URL(back)
    const isLocal = ["localhost", "127.0.0.1"].includes(url.hostname)
    return url.protocol === "https:" || (url.protocol === "http:" && isLocal)
      ? { options, back: url }
      : undefined
  } catch {
    return undefined
  }
}

function say(body, text) {
  const line = document.createElement("p")
  line.textContent = text
  body.append(line)
}
