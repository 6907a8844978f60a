import type { Words } from "./words.ts"

export const german: Words = {
  title: "Verbinden Sie Ihr Telefon",
  linkFor: "Verbinden Sie Ihr Telefon für {who}",
  who: "Wer Sie hierher geschickt hat,",
  allows: "{who} kann dann mit {number} Nachrichten senden und empfangen.",
  ownNumber: "Ihrer Nummer",
  endingIn: "der Nummer, die auf {digits} endet,",
  once: "Diese Seite gilt einmal, noch {time}.",
  stop: "Niemand, den Sie kennen, hat Sie darum gebeten? Dann schließen Sie diese Seite:",
  stopWhy: "Wer Ihr Telefon verbindet, liest Ihre Chats. Weder WhatsApp noch eine Bank bittet je darum.",
  undo: "Sie können es jederzeit rückgängig machen, auf dem Telefon: WhatsApp > Einstellungen > Verknüpfte Geräte.",
  report: "Diese Seite melden",
  thanks: "Danke",
  thanksHow:
    "Wer diesen Dienst betreibt, weiß jetzt davon. Verbinden Sie nichts. Haben Sie Ihr Telefon schon verbunden? Dann trennen Sie es auf dem Telefon: WhatsApp > Einstellungen > Verknüpfte Geräte.",
  unofficial:
    "Dieser Dienst verbindet sich als inoffizielles Gerät. Das Netz kann eine Nummer dafür einschränken oder sperren: Verbinden Sie eine, auf die Sie verzichten können.",
  simulated: "Das ist ein Test in einem simulierten Netz: Kein echtes Telefon kann diesen Code scannen.",
  scan: "Scannen Sie das mit dem Telefon",
  open: "Öffnen Sie WhatsApp auf dem Telefon.",
  devices: "Öffnen Sie die Einstellungen, dann „Verknüpfte Geräte“.",
  tap: "Tippen Sie auf „Gerät hinzufügen“.",
  point: "Richten Sie die Kamera auf diesen Code.",
  tapPhone: "Tippen Sie auf „Gerät hinzufügen“, dann auf „Stattdessen mit Telefonnummer verknüpfen“.",
  typeIt: "Geben Sie den Code von oben ein.",
  noCamera: "Auf dem Telefon selbst, oder ohne Kamera",
  noCameraHow: "Sie bekommen einen Code aus acht Buchstaben und Ziffern und geben ihn auf dem Telefon ein.",
  noScript: "Ohne Skript kann der Code dem Netz nicht folgen. Holen Sie stattdessen einen Code zum Eingeben.",
  phone: "Die Nummer des Telefons, mit Landesvorwahl",
  getCode: "Code zum Eingeben holen",
  noLink: "Das Telefon lässt sich nicht verbinden?",
  onThePhone: [
    [
      "Es meldet zu viele verknüpfte Geräte",
      "Ein Konto darf nur wenige haben. Entfernen Sie eines unter „Verknüpfte Geräte“, und scannen Sie dann den Code hier.",
    ],
    [
      "Es meldet, das Gerät konnte nicht verknüpft werden",
      "Der Code hatte inzwischen gewechselt. Scannen Sie den, der jetzt gezeigt wird, oder holen Sie einen Code zum Eingeben.",
    ],
    [
      "Es fragt nach einem Passkey",
      "Lassen Sie das Telefon, wie es ist. Diese Seite zeigt, was zu tun ist; Sie brauchen einen Computer mit Chrome oder Edge.",
    ],
  ],
  changesIn: "Der Code wechselt in {time}",
  soon: "Das dauert einige Sekunden",
  asking: "Ein Code wird beim Netz geholt…",
  old: "Dieser Code ist vielleicht alt: Die Verbindung zum Dienst ist weg. Sie kommt von selbst wieder.",
  nobody: "Niemand hat den Code gescannt",
  threeMinutes: "Das Netz zeigt drei Minuten lang einen.",
  newCode: "Neuen Code zeigen",
  again: "Noch einmal",
  isLinked: "Ein Telefon ist verbunden",
  typeOn: "Geben Sie das auf dem Telefon mit der Nummer {number} ein",
  works: "Er gilt noch {time}.",
  goBack: "Zurück",
  progress: "Fortschritt",
  steps: ["Wartet auf das Telefon", "Telefon verbunden", "Meldet sich an", "Holt auf", "Verbunden"],
  done: "Ihr Telefon ist verbunden",
  doneHow:
    "Hier ist nichts mehr zu tun: Diese Seite war für ein Telefon. Auf dem Telefon steht es unter „Verknüpfte Geräte“; dort können Sie es jederzeit trennen.",
  close: "Sie können diese Seite schließen.",
  goOn: "Weiter zu {host}",
  taken: "Es ist schon ein Telefon verbunden",
  takenHow:
    "Es wurde nicht auf dieser Seite verbunden, also ist hier nichts zu tun. Ist es nicht Ihres, sagen Sie es {who}: Dort kann man es trennen und Sie noch einmal hierher schicken.",
  over: "Diese Seite gilt nicht mehr",
  overHow:
    "Sie war eine Stunde offen, oder ein Teil ihrer Adresse fehlt. Bitten Sie die Person, die sie geschickt hat, um eine neue.",
  other: "Das war ein anderes Telefon.",
  otherHow:
    "Es hat eine andere Nummer als die hier erwartete und wurde wieder getrennt. Verbinden Sie das Telefon mit der Nummer, die auf {digits} endet.",
  passkey: "WhatsApp fragt nach Ihrem Passkey",
  passkeyWhy:
    "Das Telefon hat den Code angenommen. Dieses Konto braucht auch seinen Passkey, und den verwendet ein Browser nur auf WhatsApps eigener Seite. Lassen Sie das Telefon, wie es ist, und machen Sie an einem Computer weiter. WhatsApp wartet noch {time}; danach beginnen Sie mit einem neuen Code von vorn.",
  extension:
    "Fügen Sie diesem Browser einmal die Erweiterung hinzu. Es muss Chrome, Edge oder ein anderes Chromium sein, auf einem Computer.",
  addIt: "So fügen Sie sie hinzu",
  download: "Erweiterung herunterladen",
  unpack: "Entpacken Sie die Datei in einen Ordner.",
  openExtensions: "Öffnen Sie {page} (in Edge {edge}).",
  loadIt:
    "Schalten Sie den „Entwicklermodus“ ein, klicken Sie auf „Entpackte Erweiterung laden“ und wählen Sie diesen Ordner.",
  usePasskey: "Meinen Passkey verwenden",
  leads:
    "Das führt zu WhatsApps Seite. Dort fragt Sie die Erweiterung, dann der Browser: Der Passkey ist auf diesem Computer oder auf Ihrem Telefon. Sie kommen von selbst hierher zurück.",
  nothingAsks:
    "Fragt Sie dort nichts? Dann hat dieser Browser die Erweiterung nicht: Gehen Sie zurück, und machen Sie den ersten Schritt.",
  passkeyOver: "Die Zeit für den Passkey ist um",
  passkeyOverHow:
    "WhatsApp wartet fünf Minuten darauf. Nichts wurde verbunden: Beginnen Sie von vorn, und scannen Sie den neuen Code mit dem Telefon.",
  beginAgain: "Mit einem neuen Code von vorn beginnen",
  accepted: "Der Passkey wurde angenommen",
  acceptedHow:
    "Sehen Sie auf das Telefon: Vielleicht fragt es, ob das neue Gerät verknüpft werden soll. Diese Seite geht von selbst weiter.",
  tooMuch: "Zu viel auf einmal",
  tooMuchHow: "Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in {time} noch einmal.",
  reasons: {
    number_mismatch: [
      "Das ist eine andere Nummer",
      "Verbinden Sie das Telefon, dessen Nummer auf {digits} endet, oder bitten Sie um eine neue Seite.",
    ],
    invalid_request: [
      "Das ist keine Telefonnummer",
      "Schreiben Sie sie mit der Landesvorwahl, wie +49 171 1234567.",
    ],
    unreachable: [
      "Der Dienst ist gerade nicht erreichbar",
      "Warten Sie einige Sekunden, und versuchen Sie es noch einmal.",
    ],
    network_rejected: [
      "Das Netz hat abgelehnt",
      "Prüfen Sie, ob es die Nummer dieses Telefons ist. Warten Sie dann einige Minuten bis zum nächsten Code.",
    ],
    send_outcome_unknown: [
      "Das Netz hat nicht geantwortet",
      "Sehen Sie nach, ob das Telefon schon verbunden ist. Wenn nicht, holen Sie einen neuen Code.",
    ],
    rate_limited: [
      "Es wurden zu viele Codes geholt",
      "Warten Sie eine Viertelstunde, und holen Sie dann noch einen.",
    ],
    already_paired: [
      "Es ist schon ein Telefon verbunden",
      "Wer Ihnen diese Seite geschickt hat, kann es trennen.",
    ],
    passkey_required: [
      "Ein Telefon hat den letzten Code angenommen, und sein Konto will einen Passkey",
      "Öffnen Sie diese Seite noch einmal: Sie zeigt, was zu tun ist.",
    ],
    passkey_refused: [
      "Der Passkey wurde nicht angenommen",
      "Verwenden Sie ihn noch einmal, für die Anfrage, die jetzt da ist.",
    ],
    stopped: [
      "Zurzeit kann kein Telefon verbunden werden",
      "Fragen Sie, wer Ihnen diese Seite geschickt hat.",
    ],
    locked: [
      "Konto gesperrt",
      "Das Netz hat das Konto gesperrt. Entsperren Sie es auf dem Telefon, und verbinden Sie es dann noch einmal.",
    ],
    banned: [
      "Nummer gesperrt",
      "Das Netz hat diese Nummer gesperrt. Das Telefon sagt, ob das geprüft werden kann. Bis dahin verbindet sie kein Code.",
    ],
    temporarily_banned: [
      "Für einige Zeit gesperrt",
      "Das Netz lehnt diese Nummer für einige Zeit ab. Verbinden Sie sie vorher nicht noch einmal.",
    ],
    away: ["Keine Verbindung", "Die Verbindung zum Netz ist weg. Sie kommt von selbst wieder."],
    starting: ["Startet", "Das dauert einen Moment."],
    internal_error: ["Bei uns ist etwas schiefgegangen", "Versuchen Sie es noch einmal."],
  },
}
