// A chat: answers wait here until they are sent, so that one can write on. Without script, the form is sent
// as any other.
const form = document.querySelector("form[data-queue]")
const list = () => document.getElementById("messages")
// `randomUUID` is for pages over https alone.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-")
const { key, number, read, quote, text, file, voice } = form.elements

// Answers of this chat that are on their way, oldest first. Texts outlive the page in the tab's storage: when
// it is loaded again, they go on under their keys, which send each once. Of a file only its name does.
const stored = `unsent ${number.value} ${location.pathname}`
// A key is known for a day. What waited for half of it, in a tab that was closed, its writer sends.
const longestWaitMs = 12 * 3600 * 1000
const queue = []
let isSending = false

function keep() {
  try {
    const all = queue.map(({ body }) =>
      [...body].map(([name, value]) => [name, value.size ? value.name : value]),
    )
    if (all.length > 0) sessionStorage[stored] = JSON.stringify(all)
    else delete sessionStorage[stored]
  } catch {
    // The browser keeps nothing for us: a page that is loaded again has lost what was not sent.
  }
}

function show(body, name) {
  const item = document.createElement("li")
  item.className = "own"
  item.innerHTML =
    '<article class="bubble"><p class="words" dir="auto"></p><footer><span class="small muted" role="status"></span></footer></article>'
  item.querySelector(".words").textContent = body.get("text") || name
  list().append(item)
  document.getElementById("messages-empty")?.remove()
  return item
}

function enqueue(body) {
  if (!body.has("at")) body.set("at", Date.now())
  const item = show(body, body.get("file")?.name)
  queue.push({ body, item })
  keep()
  say(item, "Sending")
  void sendAll()
}

function say(item, words, isBad = false) {
  const status = item.querySelector("[role=status]")
  status.textContent = words
  status.classList.toggle("bad", isBad)
}

// One after the other: the order in which they were written is the order in which they go.
async function sendAll() {
  if (isSending) return
  isSending = true
  for (let waitMs = 1000; queue.length > 0;) {
    const [one] = queue
    const isLate = Date.now() - Number(one.body.get("at")) > longestWaitMs
    const { id, error, again } = isLate ? late : await send(one.body)
    if (error && again) {
      say(one.item, `Waits, and is sent by itself while this page is open. ${error}`)
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      waitMs = Math.min(waitMs * 2, 10_000)
      continue
    }
    waitMs = 1000
    queue.shift()
    keep()
    if (error) {
      say(one.item, `Not sent. ${error}`, true)
      if (text.value === "") text.value = one.body.get("text")
    } else if (document.getElementById(`m-${id}`)) one.item.remove()
    else {
      // The stream puts the message itself in this place.
      one.item.id = `m-${id}`
      say(one.item, "Sent")
    }
  }
  isSending = false
}

const late = { error: "It has waited for too long: look whether it went, or send it again.", again: false }

async function send(body) {
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } })
    // Signed out meanwhile, or a page of the service's in between.
    if (!answer.headers.get("content-type")?.includes("json")) {
      const error = answer.status === 413 ? "The file is too large." : "Load this page again."
      return { error, again: answer.ok || answer.status >= 500 || answer.status === 429 }
    }
    const { message_id: id, error, again } = await answer.json()
    return { id, error, again }
  } catch {
    return { error: "This page does not reach the service.", again: true }
  }
}

// What waits is sent by this page alone.
addEventListener("beforeunload", (event) => queue.length > 0 && event.preventDefault())

form.addEventListener("submit", (event) => {
  event.preventDefault()
  event.stopPropagation()
  if (text.value.trim() === "" && file.files.length === 0) return text.focus()
  read.value = [...list().querySelectorAll("[data-from]")].at(-1)?.dataset.from ?? ""
  enqueue(new FormData(form))
  begin()
})

function begin() {
  form.reset()
  key.value = newKey()
  voice.value = ""
  answerTo("", "")
  grow()
  text.focus()
}

// Enter sends, as people know it, where there are keys beside it; a new line is Shift and Enter.
text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches)
    return
  event.preventDefault()
  form.requestSubmit()
})

function grow() {
  text.style.height = "auto"
  text.style.height = `${Math.min(text.scrollHeight + 2, 200)}px`
}
text.addEventListener("input", grow)

const choice = file.closest("label").firstChild
file.addEventListener("change", () => (choice.textContent = file.files[0]?.name.slice(0, 24) || "File"))
form.addEventListener("reset", () => (choice.textContent = "File"))

function answerTo(id, words) {
  quote.value = id
  const line = form.querySelector(".quoting")
  line.hidden = id === ""
  line.querySelector("bdi").textContent = words
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-quote]")
  if (link) {
    event.preventDefault()
    const said = link.closest("li")
    answerTo(
      link.dataset.quote,
      said?.querySelector(".words")?.textContent ??
        said?.querySelector(".bubble").textContent.trim().slice(0, 80) ??
        "",
    )
    link.closest("details")?.removeAttribute("open")
    text.focus()
  }
  const earlier = event.target.closest?.("[data-earlier]")
  if (earlier) {
    event.preventDefault()
    void more(earlier)
  }
})

// Earlier messages come above those that are there, which stay where they are.
async function more(link) {
  const answer = await fetch(link.href)
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  const lines = page.querySelectorAll("#messages > li")
  if (!answer.ok || lines.length === 0) return location.assign(link.href)
  list().prepend(...lines)
  link.parentElement.replaceWith(page.querySelector(".earlier"))
  dispatchEvent(new CustomEvent("dress", { detail: list() }))
}

// A reaction shows when the stream brings it.
const react = document.getElementById("react")
react.addEventListener("submit", (event) => {
  event.preventDefault()
  event.stopPropagation()
  const body = new URLSearchParams(new FormData(react, event.submitter))
  event.submitter.closest("details")?.removeAttribute("open")
  event.submitter.blur()
  fetch(react.action, { method: "POST", body })
    .then(({ ok }) => ok || Promise.reject(new Error("refused")))
    .catch(() => alert("That did not work. Try again."))
})

// A file that is no picture, or that this browser does not play, is offered to be saved.
document.addEventListener(
  "error",
  ({ target }) =>
    target.matches?.(".bubble :is(img, audio, video)") && target.closest("article").classList.add("unshown"),
  true,
)

const button = form.querySelector("[data-record]")
let recorder
if (navigator.mediaDevices && window.MediaRecorder) button.hidden = false
button.addEventListener("click", () => void (recorder ? recorder.stop() : record()))

async function record() {
  button.disabled = true
  const sound = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => undefined)
  button.disabled = false
  if (!sound) return alert("The browser gives this page no microphone.")
  const parts = []
  recorder = new MediaRecorder(sound)
  recorder.ondataavailable = ({ data }) => parts.push(data)
  recorder.onstop = () => {
    for (const track of sound.getTracks()) track.stop()
    const body = new FormData(form)
    body.set("text", "")
    body.set("voice", "on")
    body.set("file", new File(parts, "Voice message", { type: recorder.mimeType }))
    recorder = undefined
    button.textContent = "Record"
    enqueue(body)
    key.value = newKey()
  }
  recorder.start()
  button.textContent = "Stop and send"
}

try {
  for (const fields of JSON.parse(sessionStorage[stored] ?? "[]")) {
    const body = new FormData()
    let lost = ""
    for (const [name, value] of fields) {
      if (name !== "file") body.append(name, value)
      else if (typeof value === "string") lost = value
    }
    if (lost) say(show(body, lost), `Not sent: this page was loaded again. Choose ${lost} again.`, true)
    else enqueue(body)
  }
  keep()
} catch {
  // Nothing was kept, or nothing of ours.
}
