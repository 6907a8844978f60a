// What needs a script: what is live, ages and countdowns, and copying. Everything else is links and forms.
const root = document.documentElement
root.classList.add("script")

const seconds = (ms) => {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  return s < 172_800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} days`
}

const left = (ms) => {
  const unit = ms > 172_800_000 ? 86_400_000 : ms > 3_600_000 ? 3_600_000 : ms > 60_000 ? 60_000 : 1000
  return seconds(Math.ceil(ms / unit) * unit)
}

// The server's clock counts: `data-now` is its time when it wrote the page.
let ahead = Date.now() - Number(root.dataset.now || Date.now())
const now = () => Date.now() - ahead

function write(element, text) {
  if (element.textContent !== text) element.textContent = text
}

function tick() {
  for (const one of document.querySelectorAll("[data-ago], [data-age], [data-until]")) {
    const { ago, age, until } = one.dataset
    if (until !== undefined) write(one, left(Number(until) - now()))
    else write(one, ago === undefined ? seconds(now() - age) : `${seconds(now() - ago)} ago`)
  }
  // A state is what the session host said last. The server tells when a host is silent; a state that grows
  // old here is this page's own affair: its stream is gone, or slow.
  for (const one of document.querySelectorAll("[data-word]")) {
    const age = now() - one.dataset.word
    const isDown = one.closest(".down") !== null
    one.classList.toggle("stale", isDown || age > 15_000)
    const said = one.querySelector("[data-said]")
    if (!said) continue
    const text = isDown
      ? `this page is not live: confirmed ${seconds(age)} ago`
      : age > 15_000
        ? `uncertain: last confirmed ${seconds(age)} ago`
        : age < 5000
          ? "confirmed now"
          : `confirmed ${seconds(age)} ago`
    write(said, text)
  }
}

// All times are in the reader's zone: texts, fields, and what is typed into "Where is it?".
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
const isoHere = (date) => new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
const minute = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })
const dayAndMinute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

function timeHere(date, form) {
  const here = isoHere(date)
  if (form === "day") return here.slice(0, 10)
  if (form === "second") return here.replace("T", " ")
  const isToday = date.toDateString() === new Date(now()).toDateString()
  return (isToday ? minute : dayAndMinute).format(date)
}

function dress(part) {
  for (const one of part.querySelectorAll("time[data-at]")) {
    const date = new Date(one.dateTime)
    if (one.dataset.at !== "title") write(one, timeHere(date, one.dataset.at))
    one.title = `${isoHere(date).replace("T", " ")} here, ${one.dateTime.slice(0, 19).replace("T", " ")} UTC`
  }
  for (const one of part.querySelectorAll("[type=datetime-local][value]"))
    if (one.defaultValue)
      one.value = isoHere(new Date(`${one.defaultValue}Z`)).slice(0, one.defaultValue.length)
  for (const one of part.querySelectorAll("form[data-go]")) one.requestSubmit()
  part.querySelectorAll("form[data-answer]").forEach(bringAnswer)
  tick()
}

// WhatsApp's page leads back with the answer of a passkey behind `#`.
function bringAnswer(form) {
  const answer = new URLSearchParams(location.hash.slice(1)).get("passkey")
  if (!answer) return
  history.replaceState(history.state, "", location.pathname + location.search)
  form.elements.answer.value = answer
  form.requestSubmit()
}

// A part that is pressed, or has the focus, is exchanged only when it is left: otherwise a click, or one's
// place, would be lost. On a touch screen the click comes a moment after the finger is gone.
const waiting = new Map()
function exchange(piece) {
  const old = document.getElementById(piece.id)
  if (old?.matches(":active, :focus-within")) return void waiting.set(piece.id, piece)
  waiting.delete(piece.id)
  const isKept = old?.dataset.keep !== undefined && old.dataset.keep === piece.dataset.keep
  if (old && isByOther(old, piece)) return
  if (!old || isKept || old.isEqualNode(piece)) return
  // What is ticked stays so.
  for (const { name, value } of old.querySelectorAll("input:checked"))
    for (const one of piece.querySelectorAll(`input[name="${name}"]`)) one.checked ||= one.value === value
  old.replaceWith(piece)
}
// Strangers choose the ids of their messages: such a piece takes the place of its own writer's alone.
function isByOther(old, piece) {
  const [one, other] = [old.dataset.by, piece.dataset.by]
  return one !== undefined && other !== undefined && one !== other
}
function exchangeWaiting() {
  waiting.forEach(exchange)
  tick()
}
for (const left of ["pointerup", "pointercancel", "focusout"])
  addEventListener(left, () => setTimeout(exchangeWaiting, 300))

// The server sends pieces of the page. One that names a list goes to the head of the list, any other replaces
// the element with its id. With a place, the piece takes that of its former self: at the end of the list, or
// at the top again.
function place(html) {
  const pieces = document.createElement("template")
  pieces.innerHTML = html
  dress(pieces.content)
  for (const piece of Array.from(pieces.content.children)) {
    if (piece.dataset.goto) {
      location.assign(piece.dataset.goto)
      continue
    }
    const list = piece.dataset.into && document.getElementById(piece.dataset.into)
    if (!list) {
      exchange(piece)
      continue
    }
    const named = piece.id && document.getElementById(piece.id)
    const former = named && !isByOther(named, piece) && named
    const { place: at } = piece.dataset
    if (former && at === "top") former.remove()
    else if (former && at === "end") exchange(piece)
    if (former && at !== "top") continue
    if (at === "end") list.append(piece)
    else list.prepend(piece)
    while (at !== "end" && list.children.length > 500) list.lastChild.remove()
    document.getElementById(`${list.id}-empty`)?.remove()
  }
  tick()
}

// A stream takes over the place of the former stream of this part of this tab: the server may not know yet
// that no page reads the former one. A page takes the tab's name out of the storage while it is open: a copy
// of the tab, which gets a copy of the storage, makes a name of its own.
const tab = takeTab() ?? crypto.getRandomValues(new Uint32Array(4)).join("-")
addEventListener("pagehide", () => keepTab(tab))
addEventListener("pageshow", takeTab)

function takeTab() {
  try {
    const name = sessionStorage.tab
    delete sessionStorage.tab
    return name
  } catch {
    // The browser keeps nothing for us: each page counts as a tab of its own.
    return undefined
  }
}

function keepTab(name) {
  try {
    sessionStorage.tab = name
  } catch {
    // As in `takeTab`: the next page counts as a tab of its own.
  }
}

// Where a stream is refused, its part is taken from the page itself, fetched anew. If the page leads
// elsewhere, as to the sign-in, or has no such part any more, the browser goes there.
async function lookInstead(part, nth) {
  const url = new URL(location.href)
  for (const [name, value] of new URL(part.dataset.stream, url).searchParams)
    url.searchParams.set(name, value)
  try {
    const answer = await fetch(url, { redirect: "manual" })
    const isPage = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html")
    const fresh = isPage && isPage.querySelectorAll("[data-stream]")[nth]
    const isElsewhere = answer.type === "opaqueredirect" || (isPage && !fresh)
    if (isElsewhere) location.assign(location.pathname + location.search)
    if (!fresh) return false
    dress(fresh)
    fresh.querySelectorAll("[id]").forEach(exchange)
    tick()
    return true
  } catch {
    // The service is away. The page says that it is not live.
    return false
  }
}

function follow(part, nth) {
  let source
  let last = ""
  let lost
  let isPaused = false
  const seen = () => {
    clearTimeout(lost)
    lost = undefined
    part.classList.remove("down")
  }
  const open = () => {
    if (source || isPaused || document.hidden) return
    const url = new URL(part.dataset.stream, location.href)
    url.searchParams.set("part", `${tab}-${nth}`)
    if (last) url.searchParams.set("after", last)
    source = new EventSource(url)
    source.addEventListener("message", (event) => {
      seen()
      if (event.lastEventId) last = event.lastEventId
      if (event.data) place(event.data)
    })
    source.addEventListener("clock", (event) => {
      seen()
      if (event.lastEventId) last = event.lastEventId
      ahead = Date.now() - Number(event.data)
    })
    source.addEventListener("error", () => {
      lost ??= setTimeout(() => part.classList.add("down"), 3000)
      // A refused stream is not opened again by the browser.
      if (source?.readyState !== EventSource.CLOSED) return
      close()
      void pollOnce()
    })
  }
  const pollOnce = async () => {
    if (await lookInstead(part, nth)) seen()
    setTimeout(open, 3000)
  }
  const close = () => {
    source?.close()
    source = undefined
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()))
  addEventListener("pagehide", close)
  addEventListener("pageshow", open)
  part.querySelector("[data-pause]")?.addEventListener("click", (event) => {
    isPaused = !isPaused
    event.target.setAttribute("aria-pressed", String(isPaused))
    event.target.textContent = isPaused ? "Go on" : "Pause this list"
    if (isPaused) close()
    else open()
  })
  open()
}

async function copy(button) {
  const text = button.dataset.copy || button.parentElement.querySelector("pre").textContent
  await navigator.clipboard.writeText(text)
  button.classList.add("done")
  button.setAttribute("aria-label", "Copied")
  setTimeout(() => {
    button.classList.remove("done")
    button.setAttribute("aria-label", "Copy")
    // While a control has the focus, its part of the page is not renewed. A pointer does not need it.
    if (!button.matches(":focus-visible")) button.blur()
  }, 1500)
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-copy]")
  if (button) void copy(button)
})

document.addEventListener("input", (event) => {
  const { target } = event
  if (target.matches("[data-whole]") && target.value.replaceAll(/[^0-9a-z]/gi, "").length >= 8)
    target.form.requestSubmit()
})

// A search field above a list of choices leaves those that it does not find out; chosen ones stay.
document.addEventListener("input", ({ target }) => {
  const list = target.dataset.filters && document.getElementById(target.dataset.filters)
  for (const one of list ? list.options : [])
    one.hidden = !one.selected && !one.text.toLowerCase().includes(target.value.toLowerCase())
})

// Where is it? Ctrl-K and `/` lead to the field, and the arrows from there through what was found.
addEventListener("keydown", (event) => {
  const { key, target } = event
  const field = document.querySelector(".where [type=search]")
  const isKey = (event.ctrlKey || event.metaKey) && key.toLowerCase() === "k"
  const isTyping = target.closest?.("input, textarea, select, [contenteditable]")
  const isSlash = key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
  if (field && (isKey || isSlash)) {
    event.preventDefault()
    field.select()
    field.focus()
    return
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  const all = [field, ...document.querySelectorAll(".found a.about")]
  const at = all.indexOf(target)
  if (!step || at < 0 || all.length === 1) return
  event.preventDefault()
  all[Math.max(0, Math.min(all.length - 1, at + step))].focus()
})

// A form cannot be sent twice by a double click.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) return event.preventDefault()
  event.target.dataset.sent = "1"
  setTimeout(() => delete event.target.dataset.sent, 3000)
})

// A field is in the reader's zone. What is sent is in UTC: a page's address means the same to everybody.
addEventListener("formdata", ({ target, formData }) => {
  for (const { name, value } of target.querySelectorAll("[type=datetime-local]"))
    if (value) formData.set(name, new Date(value).toISOString().slice(0, value.length))
})
for (const one of document.querySelectorAll("[name=zone]")) {
  one.value = timeZone
  one.disabled = false
}
for (const one of document.querySelectorAll("[data-zone]")) one.textContent = `Times are yours: ${timeZone}`

addEventListener("dress", ({ detail }) => dress(detail))
dress(document)
// The answer of a form is no page to come back to: loading it again would send the form again. The server
// leads to the page.
if (document.body.classList.contains("frame")) history.replaceState(history.state, "", location.href)
document.querySelectorAll("[data-stream]").forEach(follow)
setInterval(tick, 1000)
