import type { Words } from "./words.ts"

export const english: Words = {
  title: "Link your phone",
  linkFor: "Link your phone for {who}",
  who: "Those who sent you here",
  allows: "{who} can then send and receive messages with {number}.",
  ownNumber: "your number",
  endingIn: "the number ending in {digits}",
  once: "This page works once and expires in {time}.",
  stop: "If nobody you know asked you to do this, close this page:",
  stopWhy: "whoever links your phone can read your chats. WhatsApp and banks never ask you to do this.",
  undo: "You can undo it at any time, on the phone: WhatsApp > Settings > Linked devices.",
  report: "Report this page",
  thanks: "Thank you",
  thanksHow:
    "The people who run this service were told. Link nothing. Did you link your phone already? Then unlink it on the phone: WhatsApp > Settings > Linked devices.",
  unofficial:
    "This service links as an unofficial device. The network can restrict or ban a number for that: link one that you can afford to lose.",
  simulated: "This is a test on a simulated network: no real phone can scan this code.",
  scan: "Scan this with your phone",
  open: "Open WhatsApp on the phone.",
  devices: "Open its settings, then “Linked devices”.",
  tap: "Tap “Link a device”.",
  point: "Point the camera at this code.",
  tapPhone: "Tap “Link a device”, then “Link with phone number instead”.",
  typeIt: "Type the code above.",
  noCamera: "On the phone itself, or without a camera",
  noCameraHow: "You get a code of eight letters and digits, and type it on the phone.",
  noScript: "Without script the code cannot follow the network. Get a code to type instead.",
  phone: "The phone's number, with its country code",
  getCode: "Get a code to type",
  noLink: "The phone does not link?",
  onThePhone: [
    [
      "It says that there are too many linked devices",
      "An account may have only a few. Remove one under “Linked devices”, then scan the code here.",
    ],
    [
      "It says that the device could not be linked",
      "The code had changed meanwhile. Scan the one that is shown now, or have a code to type.",
    ],
    [
      "It asks for a passkey",
      "Leave the phone as it is. This page shows what to do; you need a computer with Chrome or Edge.",
    ],
  ],
  changesIn: "The code changes in {time}",
  soon: "This takes a few seconds",
  asking: "Asking the network for a code…",
  old: "This code may be old: the connection to the service is lost. It comes back by itself.",
  nobody: "Nobody scanned the code",
  threeMinutes: "The network shows codes for three minutes, then somebody has to ask anew.",
  newCode: "Show a new code",
  again: "Try again",
  isLinked: "A phone is linked",
  typeOn: "Type this on the phone with the number {number}",
  works: "It works for {time} more.",
  goBack: "Go back",
  progress: "Progress",
  steps: ["Waiting for the phone", "Phone linked", "Signing in", "Catching up", "Connected"],
  done: "Your phone is linked",
  doneHow:
    "There is nothing more to do here: this page was for one phone. On the phone it is listed under “Linked devices”, where you can unlink it at any time.",
  close: "You can close this page.",
  goOn: "Go on to {host}",
  taken: "A phone is linked already",
  takenHow:
    "It was not linked on this page, so there is nothing to do here. If it is not yours, tell {who}: they can unlink it and send you here again.",
  over: "This page is over",
  overHow:
    "It was open for an hour, or a part of its address is missing. Ask the person who sent it for a new one.",
  other: "That was another phone.",
  otherHow:
    "It has another number than the one that is expected here, so it was unlinked again. Link the phone with the number ending in {digits}.",
  passkey: "WhatsApp asks for your passkey",
  passkeyWhy:
    "The phone took the code. This account needs its passkey as well, and a browser uses that on WhatsApp's own page alone. Leave the phone as it is, and do this on a computer. WhatsApp waits for {time} more; after that you begin again with a new code.",
  extension:
    "Add the extension to this browser, once. It has to be Chrome, Edge or another Chromium, on a computer.",
  addIt: "How to add it",
  download: "Download the extension",
  unpack: "Unpack the file into a folder.",
  openExtensions: "Open {page} (in Edge {edge}).",
  loadIt: "Switch on “Developer mode”, press “Load unpacked”, and choose that folder.",
  usePasskey: "Use my passkey",
  leads:
    "This leads to WhatsApp's page. The extension asks you there, then the browser: the passkey is on this computer, or on your phone. You come back here by yourself.",
  nothingAsks:
    "Does nothing ask you there? Then this browser does not have the extension: go back, and do the first step.",
  passkeyOver: "The time for the passkey is over",
  passkeyOverHow:
    "WhatsApp waits five minutes for it. Nothing was linked: begin again, and scan the new code with the phone.",
  beginAgain: "Begin again with a new code",
  accepted: "The passkey was accepted",
  acceptedHow: "Look at the phone: it may ask whether to link the new device. This page goes on by itself.",
  tooMuch: "Too much at once",
  tooMuchHow: "Too many requests came from your network. Try again in {time}.",
}
