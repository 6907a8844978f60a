const $ = (id) => document.getElementById(id)

/**
 * The state that is shown: `phone` and `chat` are numbers, or a group's address. `following` counts choices
 * of a phone: who follows an earlier one stops.
 *
 * @type {{ phones: any[], phone?: string, chat?: string, messages: any[], following: number }}
 */
const state = { phones: [], messages: [], following: 0 }

async function call(method, path, body, type = "application/json") {
  const headers = body === undefined ? {} : { "content-type": type }
  const response = await fetch(`.${path}`, { method, body, headers })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

const post = (path, content) => call("POST", path, JSON.stringify(content))

const say = (text = "") => ($("said").textContent = text)

/** Which of the panes is shown where there is room for one. */
const view = (name) => (document.body.dataset.view = name)

const nameOf = (number) => state.phones.find((phone) => phone.number === number)?.name ?? number

/** An element with this text, and what else belongs to it. */
function element(tag, text, more = {}) {
  const made = Object.assign(document.createElement(tag), more)
  made.prepend(text)
  return made
}

function option(label, detail, current, choose) {
  const button = element("button", label, { type: "button", onclick: choose })
  button.append(element("small", detail))
  button.setAttribute("aria-current", String(current))
  return button
}

/** Puts these in place of the children, unless they look the same: focus and selection stay. */
function replace(parent, made) {
  const next = element("div", "")
  next.append(...made)
  if (next.innerHTML === parent.innerHTML) return
  const focused = [...parent.children].indexOf(document.activeElement)
  parent.replaceChildren(...made)
  if (focused !== -1) parent.children[focused]?.focus()
}

function showPhones() {
  $("no-phones").hidden = state.phones.length > 0
  replace(
    $("phones"),
    state.phones.map(({ number, name, devices }) => {
      const linked = devices.length - 1
      const detail = linked === 0 ? number : `${number} · ${linked} linked`
      return option(name, detail, number === state.phone, () => choose(number))
    }),
  )
  replace(
    $("numbers"),
    state.phones
      .filter(({ number }) => number !== state.phone)
      .map(({ number, name }) => element("option", name, { value: number })),
  )
}

function showPhone() {
  const phone = state.phones.find(({ number }) => number === state.phone)
  $("no-phone").hidden = Boolean(phone)
  $("phone").hidden = !phone
  if (!phone) return
  $("phone-title").textContent = phone.name
  $("number").textContent = phone.number
  replace(
    $("devices"),
    phone.devices
      .filter(({ id }) => id !== 0)
      .map((device) => {
        const item = element("li", "")
        const about = `${device.platform || "a device"} · ${device.connected ? "online" : "offline"}`
        item.append(
          element("span", `Device ${device.id}: ${about}`),
          element("button", "Log out", { type: "button", onclick: () => logOut(device.id) }),
        )
        return item
      }),
  )
}

function showChats() {
  const last = new Map()
  for (const message of state.messages) {
    last.delete(message.chat)
    last.set(message.chat, message.text || kindOf(message))
  }
  if (state.chat && !last.has(state.chat)) last.set(state.chat, "")
  $("no-chats").hidden = last.size > 0
  replace(
    $("chats"),
    [...last]
      .toReversed()
      .map(([chat, text]) => option(nameOf(chat), text.slice(0, 60), chat === state.chat, () => open(chat))),
  )
}

/** A message without words, as people would name it. */
function kindOf({ kind, content, opened = {} }) {
  if (opened.options) return `voted for ${opened.options.join(", ") || "nothing"}`
  if (opened.response) return `answered: ${opened.response.replace("_", " ")}`
  if (opened.edit) return `[edited] ${opened.edit.protocolMessage?.editedMessage?.conversation ?? ""}`
  const reaction = opened.reaction ?? content.reactionMessage?.text
  if (reaction !== undefined) return reaction ? `reacted ${reaction}` : "took a reaction back"
  if (kind.startsWith("pollCreation")) return `[poll] ${content[kind].name}`
  // The vote is the person's own, which is not opened here.
  if (kind === "pollUpdateMessage") return "voted"
  return `[${kind.replace(/Message.*$/, "") || "nothing"}]`
}

function bubble(message) {
  const { kind, content, id } = message
  const made = element("div", message.text || kindOf(message), { className: "message" })
  made.classList.toggle("own", message.from_me)
  const src = `./phones/${state.phone}/messages/${encodeURIComponent(id)}/media`
  if (kind === "imageMessage") made.prepend(element("img", "", { src, alt: "" }))
  if (kind === "audioMessage") made.append(element("audio", "", { src, controls: true, preload: "none" }))
  if (kind.startsWith("pollCreation")) {
    const options = element("div", "", { className: "row" })
    const vote = (name) => attempt(() => send({ vote: { message_id: id, options: [name] } }))
    for (const { optionName: name } of content[kind].options)
      options.append(element("button", name, { type: "button", onclick: () => vote(name) }))
    made.append(options)
  }
  const again = message.times > 1 ? ` · came ${message.times} times` : ""
  const at = new Date(message.timestamp * 1000).toLocaleTimeString()
  made.append(element("small", `${nameOf(message.from)} · ${at}${again}`))
  return made
}

function showChat() {
  $("no-chat").hidden = Boolean(state.chat)
  $("chat").hidden = !state.chat
  if (!state.chat) return
  $("chat-title").textContent = nameOf(state.chat)
  const list = $("messages")
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
  replace(list, state.messages.filter(({ chat }) => chat === state.chat).map(bubble))
  if (atEnd) list.scrollTop = list.scrollHeight
}

function show() {
  showPhones()
  showPhone()
  showChats()
  showChat()
}

async function refresh() {
  state.phones = await call("GET", "/phones")
  show()
}

function open(chat) {
  state.chat = chat
  view("chat")
  show()
  $("write").elements.text.focus()
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Shows a phone, and goes on showing what it reads, until another is chosen. */
async function choose(number) {
  const mine = ++state.following
  Object.assign(state, { phone: number, chat: undefined, messages: [] })
  $("link-error").textContent = ""
  // The first thing to do with a new phone is to link a device.
  $("link").open = state.phones.every((phone) => phone.number !== number || phone.devices.length === 1)
  view("phone")
  show()
  for (let wait = 0; mine === state.following; wait = 25_000) {
    const after = state.messages.at(-1)?.n ?? 0
    const more = await call("GET", `/phones/${number}/messages?after=${after}&wait=${wait}`).catch(() =>
      pause(1000),
    )
    if (mine !== state.following || !more?.length) continue
    state.messages.push(...more)
    // With room for all panes the newest chat is shown; with room for one the person chooses.
    if (matchMedia("(min-width: 50.01rem)").matches) state.chat ??= more.at(-1).chat
    show()
  }
}

/** Does what was asked for, and says what came of it. */
async function attempt(work, complain = say) {
  complain("")
  try {
    say(await work())
    return true
  } catch (error) {
    say("")
    complain(error.message)
    return false
  }
}

function onSubmit(id, work, complain) {
  const form = $(id)
  const submit = async () => {
    const button = form.querySelector("button:not([type])")
    button.disabled = true
    const done = await attempt(() => work(Object.fromEntries(new FormData(form))), complain)
    button.disabled = false
    if (done) form.reset()
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void submit()
  })
}

onSubmit("new", async ({ name }) => {
  const phone = await post("/phones", name ? { name } : {})
  await refresh()
  void choose(phone.number)
  return `${phone.name} has the number ${phone.number}.`
})

onSubmit("open", ({ to }) => {
  const group = to.trim().endsWith("@g.us")
  open(group ? to.trim() : to.replace(/\D/g, ""))
})

/** Into the chat that is open. */
async function send(content) {
  const { error } = await post(`/phones/${state.phone}/messages`, { to: state.chat, ...content })
  if (error) throw new Error(`The network rejected it: ${error}.`)
}

onSubmit("write", ({ text }) => send({ text }))

/** A file as a phone sends it: what sounds is a voice note. */
async function asMedia(file) {
  const kind = ["image", "video", "audio"].find((one) => file.type.startsWith(`${one}/`)) ?? "document"
  const data = new Uint8Array(await file.arrayBuffer()).toBase64()
  const mimetype = file.type || "application/octet-stream"
  return { kind, data, mimetype, filename: file.name, voice: kind === "audio" }
}

$("attach").addEventListener("change", () => {
  const [file] = $("attach").files
  if (file)
    void attempt(async () => send({ media: await asMedia(file) })).then(() => ($("attach").value = ""))
})

const linkError = (text) => ($("link-error").textContent = text && `Not linked: ${text}.`)

async function linked(answer) {
  const { device } = await answer
  await refresh()
  $("link").open = false
  return `Linked as ${device}.`
}

const scan = (qr) => {
  const obstacle = $("obstacle").value || undefined
  return linked(post(`/phones/${state.phone}/scan`, { qr, obstacle }))
}

onSubmit(
  "scan",
  ({ qr }) => {
    if (!qr.trim()) throw new Error("there is no code; paste its text or choose its picture")
    return scan(qr)
  },
  linkError,
)

onSubmit("code", ({ code }) => linked(post(`/phones/${state.phone}/link-code`, { code })), linkError)

/** Any picture the browser can show, as a PNG no larger than a code needs. */
async function asPng(file) {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error("this is not a picture")
  })
  const scale = Math.min(1, 1600 / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale))
  const context = canvas.getContext("2d")
  // Transparent pixels count as paper.
  context.fillStyle = "white"
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type: "image/png" })
}

const scanPicture = (file) =>
  attempt(async () => {
    if (!state.phone) throw new Error("choose a phone first")
    const obstacle = $("obstacle").value
    const query = obstacle ? `?obstacle=${obstacle}` : ""
    return linked(call("POST", `/phones/${state.phone}/scan${query}`, await asPng(file), "image/png"))
  }, linkError)

async function logOut(device) {
  await attempt(async () => {
    await call("DELETE", `/phones/${state.phone}/devices/${device}`)
    await refresh()
    return `Device ${device} is logged out.`
  })
}

$("file").addEventListener("change", () => {
  const [file] = $("file").files
  // The same file again is a change, too.
  if (file) void scanPicture(file).then(() => ($("file").value = ""))
})

document.addEventListener("paste", (event) => {
  const [file] = event.clipboardData.files
  if (file) void scanPicture(file)
})

// Dropped anywhere it would otherwise replace the page.
document.addEventListener("dragover", (event) => {
  event.preventDefault()
  $("link").classList.add("over")
})
document.addEventListener("dragleave", () => $("link").classList.remove("over"))
document.addEventListener("drop", (event) => {
  event.preventDefault()
  $("link").classList.remove("over")
  const [file] = event.dataTransfer.files
  if (file) void scanPicture(file)
})

$("back").addEventListener("click", () => view(document.body.dataset.view === "chat" ? "phone" : "phones"))

/** Phones that are made, and devices that are linked or connect meanwhile. */
async function watch() {
  for (;;) {
    try {
      await refresh()
      if ($("said").textContent === silence) say("")
    } catch {
      say(silence)
    }
    await pause(2000)
  }
}

const silence = "The network does not answer."

await watch()
