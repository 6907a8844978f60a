// Passkeys: the browser makes and uses them, the server asks for them and looks at its answers.
const isAble = "parseCreationOptionsFromJSON" in (globalThis.PublicKeyCredential ?? {})

async function post(path, body) {
  const headers = { "content-type": "application/json" }
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })
  return await answer.json().catch(() => ({ problem: "The service does not answer: try again." }))
}

const words = {
  InvalidStateError: "This device has a passkey for you already.",
  NotSupportedError: "This browser cannot use passkeys here. A mailed code works as well.",
  NotAllowedError: "No passkey was chosen. Try again, or have a code mailed.",
}

// One question at a time: a browser refuses a second one, and each has a challenge of its own in the same
// cookie.
let last = { controller: new AbortController(), over: Promise.resolve(), mediation: undefined, at: 0 }
/** A challenge ends after five minutes. By then the one that waits has been exchanged. */
const freshMs = 240_000

async function make(form) {
  const name = form.elements.name.value
  const options = await post("/account/passkeys/options", { name })
  if (!options.challenge) return options
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const response = await navigator.credentials.create({ publicKey })
  return await post("/account/passkeys", { response: response.toJSON(), name })
}

/** Ends the question before, such as the one that waits where the address is typed, and asks anew. */
async function use(part, mediation) {
  const controller = new AbortController()
  last.controller.abort()
  const answer = last.over.then(() => ask(part, controller.signal, mediation))
  last = { controller, over: answer.catch(() => "said by whoever asked"), mediation, at: Date.now() }
  return await answer
}

async function ask(part, signal, mediation) {
  const { response, ...answer } = await question(signal, mediation).catch((error) => {
    if (mediation) return { isLeft: true }
    throw error
  })
  return response ? await post("/sign-in/passkey", { response, next: part.dataset.next }) : answer
}

async function question(signal, mediation) {
  const options = await post("/sign-in/passkey/options", {})
  if (!options.challenge) return options
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const chosen = await navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) })
  return { response: chosen.toJSON() }
}

/**
 * `isLeft`: a passkey was only offered, and none was chosen. The person had not asked for one, so nothing is
 * reported.
 */
async function reporting(part, act) {
  const said = part.querySelector("[data-said]")
  said.textContent = ""
  try {
    const { goto, problem, isLeft } = await act()
    if (goto) location.assign(goto)
    else if (!isLeft) said.textContent = problem ?? "That did not work: try again."
  } catch (error) {
    if (error.name !== "AbortError") said.textContent = words[error.name] ?? String(error.message)
  }
}

for (const part of isAble ? document.querySelectorAll("[data-passkey]") : []) {
  part.hidden = false
  if (part.dataset.passkey === "make") {
    part.addEventListener("submit", (event) => {
      event.preventDefault()
      void reporting(part, () => make(part))
    })
    continue
  }
  part.querySelector("button").addEventListener("click", () => void reporting(part, () => use(part)))
  // A browser that can offers passkeys where the address is typed.
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) continue
  const offer = () => void reporting(part, () => use(part, "conditional"))
  const renew = () => {
    if (!document.hidden && last.mediation === "conditional" && Date.now() - last.at > freshMs) offer()
  }
  offer()
  setInterval(renew, 15_000)
  document.addEventListener("visibilitychange", renew)
}
