import { html } from "hono/html"
import type { Html } from "../elements.ts"

/** What an end person reads while they link a phone. `{…}` is filled in; the names in quotation marks are as WhatsApp has them. */
interface Words {
  title: string
  linkFor: string
  who: string
  allows: string
  ownNumber: string
  endingIn: string
  once: string
  stop: string
  stopWhy: string
  report: string
  thanks: string
  thanksHow: string
  unofficial: string
  scan: string
  open: string
  devices: string
  tap: string
  point: string
  tapPhone: string
  typeIt: string
  noCamera: string
  noCameraHow: string
  phone: string
  getCode: string
  changesIn: string
  soon: string
  asking: string
  old: string
  nobody: string
  threeMinutes: string
  newCode: string
  again: string
  isLinked: string
  typeOn: string
  works: string
  useQr: string
  progress: string
  steps: readonly [string, string, string, string, string]
  done: string
  doneHow: string
  close: string
  goOn: string
  taken: string
  takenHow: string
  over: string
  overHow: string
  other: string
  otherHow: string
}
export type LinkWords = Words & { lang: string }

const all: Record<string, Words> = {
  en: {
    title: "Link your phone",
    linkFor: "Link your phone for {who}",
    who: "Those who sent you here",
    allows: "{who} can then send and receive messages with {number}.",
    ownNumber: "your number",
    endingIn: "the number ending in {digits}",
    once: "This page works once, for {time} more.",
    stop: "Nobody you know asked you for this? Then close this page:",
    stopWhy: "whoever links your phone reads your chats. Neither WhatsApp nor a bank ever asks for it.",
    report: "Report this page",
    thanks: "Thank you",
    thanksHow:
      "The people who run this service were told. Link nothing. Did you link your phone already? Then end it on the phone, under “Linked devices”.",
    unofficial:
      "This service links as an unofficial device. The network can restrict or ban a number for that: connect one that you can afford to lose.",
    scan: "Scan this with the phone",
    open: "Open WhatsApp on the phone.",
    devices: "Open its settings, then “Linked devices”.",
    tap: "Tap “Link a device”.",
    point: "Point the camera at this code.",
    tapPhone: "Tap “Link a device”, then “Link with phone number instead”.",
    typeIt: "Type the code above.",
    noCamera: "On the phone itself, or without a camera",
    noCameraHow: "You get a code of eight letters and digits, and type it on the phone.",
    phone: "The phone's number, with its country code",
    getCode: "Get a code to type",
    changesIn: "The code changes in {time}",
    soon: "This takes a few seconds",
    asking: "Asking the network for a code…",
    old: "This code may be old: the connection to the service is lost. It comes back by itself.",
    nobody: "Nobody scanned the code",
    threeMinutes: "The network shows one for three minutes.",
    newCode: "Show a new code",
    again: "Try again",
    isLinked: "A phone is linked",
    typeOn: "Type this on the phone with the number {number}",
    works: "It works for {time} more.",
    useQr: "Use the QR code, or another number",
    progress: "Progress",
    steps: ["Waiting for the phone", "Phone linked", "Signing in", "Catching up", "Connected"],
    done: "Your phone is linked",
    doneHow:
      "There is nothing more to do here: this page was for one phone. On the phone it is listed under “Linked devices”, where you can end it at any time.",
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
  },
  de: {
    title: "Verbinden Sie Ihr Telefon",
    linkFor: "Verbinden Sie Ihr Telefon für {who}",
    who: "Wer Sie hierher geschickt hat,",
    allows: "{who} kann dann mit {number} Nachrichten senden und empfangen.",
    ownNumber: "Ihrer Nummer",
    endingIn: "der Nummer, die auf {digits} endet,",
    once: "Diese Seite gilt einmal, noch {time}.",
    stop: "Niemand, den Sie kennen, hat Sie darum gebeten? Dann schließen Sie diese Seite:",
    stopWhy: "Wer Ihr Telefon verbindet, liest Ihre Chats. Weder WhatsApp noch eine Bank bittet je darum.",
    report: "Diese Seite melden",
    thanks: "Danke",
    thanksHow:
      "Wer diesen Dienst betreibt, weiß jetzt davon. Verbinden Sie nichts. Haben Sie Ihr Telefon schon verbunden? Dann beenden Sie es auf dem Telefon, unter „Verknüpfte Geräte“.",
    unofficial:
      "Dieser Dienst verbindet sich als inoffizielles Gerät. Das Netz kann eine Nummer dafür einschränken oder sperren: Verbinden Sie eine, auf die Sie verzichten können.",
    scan: "Scannen Sie das mit dem Telefon",
    open: "Öffnen Sie WhatsApp auf dem Telefon.",
    devices: "Öffnen Sie die Einstellungen, dann „Verknüpfte Geräte“.",
    tap: "Tippen Sie auf „Gerät hinzufügen“.",
    point: "Richten Sie die Kamera auf diesen Code.",
    tapPhone: "Tippen Sie auf „Gerät hinzufügen“, dann auf „Stattdessen mit Telefonnummer verknüpfen“.",
    typeIt: "Geben Sie den Code von oben ein.",
    noCamera: "Auf dem Telefon selbst, oder ohne Kamera",
    noCameraHow: "Sie bekommen einen Code aus acht Buchstaben und Ziffern und geben ihn auf dem Telefon ein.",
    phone: "Die Nummer des Telefons, mit Landesvorwahl",
    getCode: "Code zum Eingeben holen",
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
    useQr: "QR-Code oder eine andere Nummer nehmen",
    progress: "Fortschritt",
    steps: ["Wartet auf das Telefon", "Telefon verbunden", "Meldet sich an", "Holt auf", "Verbunden"],
    done: "Ihr Telefon ist verbunden",
    doneHow:
      "Hier ist nichts mehr zu tun: Diese Seite war für ein Telefon. Auf dem Telefon steht es unter „Verknüpfte Geräte“; dort können Sie es jederzeit beenden.",
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
  },
  es: {
    title: "Vincula tu teléfono",
    linkFor: "Vincula tu teléfono para {who}",
    who: "Quien te ha enviado aquí",
    allows: "{who} podrá entonces enviar y recibir mensajes con {number}.",
    ownNumber: "tu número",
    endingIn: "el número que termina en {digits}",
    once: "Esta página sirve una vez, durante {time} más.",
    stop: "¿No te lo ha pedido nadie que conozcas? Entonces cierra esta página:",
    stopWhy: "quien vincula tu teléfono lee tus chats. Ni WhatsApp ni un banco lo piden nunca.",
    report: "Denunciar esta página",
    thanks: "Gracias",
    thanksHow:
      "Se ha avisado a quienes llevan este servicio. No vincules nada. ¿Ya has vinculado tu teléfono? Entonces termínalo en el teléfono, en «Dispositivos vinculados».",
    unofficial:
      "Este servicio se vincula como dispositivo no oficial. La red puede limitar o bloquear un número por ello: conecta uno que puedas permitirte perder.",
    scan: "Escanéalo con el teléfono",
    open: "Abre WhatsApp en el teléfono.",
    devices: "Abre sus ajustes y luego «Dispositivos vinculados».",
    tap: "Toca «Vincular un dispositivo».",
    point: "Apunta la cámara a este código.",
    tapPhone: "Toca «Vincular un dispositivo» y luego «Vincular con el número de teléfono».",
    typeIt: "Escribe el código de arriba.",
    noCamera: "En el propio teléfono, o sin cámara",
    noCameraHow: "Recibes un código de ocho letras y cifras, y lo escribes en el teléfono.",
    phone: "El número del teléfono, con el prefijo del país",
    getCode: "Obtener un código para escribir",
    changesIn: "El código cambia en {time}",
    soon: "Tarda unos segundos",
    asking: "Pidiendo un código a la red…",
    old: "Este código puede ser antiguo: se ha perdido la conexión con el servicio. Vuelve sola.",
    nobody: "Nadie ha escaneado el código",
    threeMinutes: "La red muestra uno durante tres minutos.",
    newCode: "Mostrar un código nuevo",
    again: "Intentarlo de nuevo",
    isLinked: "Hay un teléfono vinculado",
    typeOn: "Escribe esto en el teléfono con el número {number}",
    works: "Sirve durante {time} más.",
    useQr: "Usar el código QR, u otro número",
    progress: "Progreso",
    steps: [
      "Esperando al teléfono",
      "Teléfono vinculado",
      "Iniciando sesión",
      "Poniéndose al día",
      "Conectado",
    ],
    done: "Tu teléfono está vinculado",
    doneHow:
      "No hay nada más que hacer aquí: esta página era para un teléfono. En el teléfono aparece en «Dispositivos vinculados», donde puedes terminarlo cuando quieras.",
    close: "Puedes cerrar esta página.",
    goOn: "Seguir a {host}",
    taken: "Ya hay un teléfono vinculado",
    takenHow:
      "No se vinculó en esta página, así que no hay nada que hacer aquí. Si no es el tuyo, díselo a {who}: puede desvincularlo y enviarte aquí otra vez.",
    over: "Esta página ha terminado",
    overHow:
      "Estuvo abierta una hora, o falta una parte de su dirección. Pide una nueva a la persona que te la envió.",
    other: "Ese era otro teléfono.",
    otherHow:
      "Tiene otro número que el esperado aquí, así que se ha desvinculado. Vincula el teléfono cuyo número termina en {digits}.",
  },
  fr: {
    title: "Liez votre téléphone",
    linkFor: "Liez votre téléphone pour {who}",
    who: "La personne qui vous a envoyé ici",
    allows: "{who} pourra alors envoyer et recevoir des messages avec {number}.",
    ownNumber: "votre numéro",
    endingIn: "le numéro qui se termine par {digits}",
    once: "Cette page sert une fois, pendant encore {time}.",
    stop: "Personne que vous connaissez ne vous l'a demandé ? Alors fermez cette page :",
    stopWhy: "qui lie votre téléphone lit vos discussions. Ni WhatsApp ni une banque ne le demandent jamais.",
    report: "Signaler cette page",
    thanks: "Merci",
    thanksHow:
      "Ceux qui gèrent ce service ont été prévenus. Ne liez rien. Avez-vous déjà lié votre téléphone ? Alors mettez-y fin sur le téléphone, dans « Appareils connectés ».",
    unofficial:
      "Ce service se lie comme appareil non officiel. Le réseau peut limiter ou bannir un numéro pour cela : connectez-en un que vous pouvez vous permettre de perdre.",
    scan: "Scannez ceci avec le téléphone",
    open: "Ouvrez WhatsApp sur le téléphone.",
    devices: "Ouvrez ses paramètres, puis « Appareils connectés ».",
    tap: "Touchez « Connecter un appareil ».",
    point: "Pointez l'appareil photo vers ce code.",
    tapPhone: "Touchez « Connecter un appareil », puis « Connecter avec le numéro de téléphone ».",
    typeIt: "Tapez le code ci-dessus.",
    noCamera: "Sur le téléphone lui-même, ou sans appareil photo",
    noCameraHow: "Vous recevez un code de huit lettres et chiffres, et le tapez sur le téléphone.",
    phone: "Le numéro du téléphone, avec l'indicatif du pays",
    getCode: "Obtenir un code à taper",
    changesIn: "Le code change dans {time}",
    soon: "Cela prend quelques secondes",
    asking: "Un code est demandé au réseau…",
    old: "Ce code est peut-être ancien : la connexion au service est perdue. Elle revient d'elle-même.",
    nobody: "Personne n'a scanné le code",
    threeMinutes: "Le réseau en montre un pendant trois minutes.",
    newCode: "Montrer un nouveau code",
    again: "Réessayer",
    isLinked: "Un téléphone est lié",
    typeOn: "Tapez ceci sur le téléphone qui a le numéro {number}",
    works: "Il sert pendant encore {time}.",
    useQr: "Utiliser le code QR, ou un autre numéro",
    progress: "Progression",
    steps: ["Attend le téléphone", "Téléphone lié", "Ouvre la session", "Rattrape", "Connecté"],
    done: "Votre téléphone est lié",
    doneHow:
      "Il n'y a plus rien à faire ici : cette page était pour un téléphone. Sur le téléphone, il figure dans « Appareils connectés », où vous pouvez y mettre fin à tout moment.",
    close: "Vous pouvez fermer cette page.",
    goOn: "Continuer vers {host}",
    taken: "Un téléphone est déjà lié",
    takenHow:
      "Il n'a pas été lié sur cette page, il n'y a donc rien à faire ici. Si ce n'est pas le vôtre, dites-le à {who} : on peut le délier et vous renvoyer ici.",
    over: "Cette page est terminée",
    overHow:
      "Elle était ouverte une heure, ou une partie de son adresse manque. Demandez-en une nouvelle à la personne qui l'a envoyée.",
    other: "C'était un autre téléphone.",
    otherHow:
      "Il a un autre numéro que celui attendu ici, il a donc été délié. Liez le téléphone dont le numéro se termine par {digits}.",
  },
  it: {
    title: "Collega il tuo telefono",
    linkFor: "Collega il tuo telefono per {who}",
    who: "Chi ti ha mandato qui",
    allows: "{who} potrà poi inviare e ricevere messaggi con {number}.",
    ownNumber: "il tuo numero",
    endingIn: "il numero che finisce con {digits}",
    once: "Questa pagina vale una volta, ancora per {time}.",
    stop: "Non te l'ha chiesto nessuno che conosci? Allora chiudi questa pagina:",
    stopWhy: "chi collega il tuo telefono legge le tue chat. Né WhatsApp né una banca lo chiedono mai.",
    report: "Segnala questa pagina",
    thanks: "Grazie",
    thanksHow:
      "Chi gestisce questo servizio è stato avvisato. Non collegare nulla. Hai già collegato il telefono? Allora terminalo sul telefono, in «Dispositivi collegati».",
    unofficial:
      "Questo servizio si collega come dispositivo non ufficiale. La rete può limitare o bloccare un numero per questo: collegane uno che puoi permetterti di perdere.",
    scan: "Scansionalo con il telefono",
    open: "Apri WhatsApp sul telefono.",
    devices: "Apri le impostazioni, poi «Dispositivi collegati».",
    tap: "Tocca «Collega un dispositivo».",
    point: "Inquadra questo codice con la fotocamera.",
    tapPhone: "Tocca «Collega un dispositivo», poi «Collega con numero di telefono».",
    typeIt: "Scrivi il codice qui sopra.",
    noCamera: "Sul telefono stesso, o senza fotocamera",
    noCameraHow: "Ricevi un codice di otto lettere e cifre e lo scrivi sul telefono.",
    phone: "Il numero del telefono, con il prefisso del paese",
    getCode: "Ottieni un codice da scrivere",
    changesIn: "Il codice cambia tra {time}",
    soon: "Ci vuole qualche secondo",
    asking: "Si chiede un codice alla rete…",
    old: "Questo codice può essere vecchio: la connessione al servizio è persa. Torna da sola.",
    nobody: "Nessuno ha scansionato il codice",
    threeMinutes: "La rete ne mostra uno per tre minuti.",
    newCode: "Mostra un nuovo codice",
    again: "Riprova",
    isLinked: "Un telefono è collegato",
    typeOn: "Scrivi questo sul telefono con il numero {number}",
    works: "Vale ancora per {time}.",
    useQr: "Usa il codice QR, o un altro numero",
    progress: "Avanzamento",
    steps: ["Aspetta il telefono", "Telefono collegato", "Accesso in corso", "Recupera", "Connesso"],
    done: "Il tuo telefono è collegato",
    doneHow:
      "Qui non c'è altro da fare: questa pagina era per un telefono. Sul telefono si trova in «Dispositivi collegati», dove puoi terminarlo in ogni momento.",
    close: "Puoi chiudere questa pagina.",
    goOn: "Prosegui verso {host}",
    taken: "Un telefono è già collegato",
    takenHow:
      "Non è stato collegato su questa pagina, quindi qui non c'è nulla da fare. Se non è il tuo, dillo a {who}: può scollegarlo e mandarti qui di nuovo.",
    over: "Questa pagina è finita",
    overHow:
      "È stata aperta per un'ora, o manca una parte del suo indirizzo. Chiedine una nuova a chi te l'ha mandata.",
    other: "Era un altro telefono.",
    otherHow:
      "Ha un numero diverso da quello atteso qui, quindi è stato scollegato. Collega il telefono il cui numero finisce con {digits}.",
  },
  pt: {
    title: "Conecte o seu telefone",
    linkFor: "Conecte o seu telefone para {who}",
    who: "Quem enviou você aqui",
    allows: "{who} poderá então enviar e receber mensagens com {number}.",
    ownNumber: "o seu número",
    endingIn: "o número que termina em {digits}",
    once: "Esta página vale uma vez, por mais {time}.",
    stop: "Ninguém que você conhece pediu isto? Então feche esta página:",
    stopWhy: "quem conecta o seu telefone lê as suas conversas. Nem o WhatsApp nem um banco pedem isto.",
    report: "Denunciar esta página",
    thanks: "Obrigado",
    thanksHow:
      "Quem opera este serviço foi avisado. Não conecte nada. Já conectou o seu telefone? Então encerre no telefone, em “Dispositivos conectados”.",
    unofficial:
      "Este serviço conecta-se como aparelho não oficial. A rede pode limitar ou banir um número por isso: conecte um que você possa perder.",
    scan: "Escaneie com o telefone",
    open: "Abra o WhatsApp no telefone.",
    devices: "Abra as configurações, depois “Dispositivos conectados”.",
    tap: "Toque em “Conectar dispositivo”.",
    point: "Aponte a câmera para este código.",
    tapPhone: "Toque em “Conectar dispositivo”, depois em “Conectar com número de telefone”.",
    typeIt: "Digite o código acima.",
    noCamera: "No próprio telefone, ou sem câmera",
    noCameraHow: "Você recebe um código de oito letras e algarismos, e digita-o no telefone.",
    phone: "O número do telefone, com o código do país",
    getCode: "Obter um código para digitar",
    changesIn: "O código muda em {time}",
    soon: "Leva alguns segundos",
    asking: "Pedindo um código à rede…",
    old: "Este código pode ser antigo: a ligação ao serviço caiu. Ela volta sozinha.",
    nobody: "Ninguém escaneou o código",
    threeMinutes: "A rede mostra um durante três minutos.",
    newCode: "Mostrar um código novo",
    again: "Tentar de novo",
    isLinked: "Há um telefone conectado",
    typeOn: "Digite isto no telefone com o número {number}",
    works: "Vale por mais {time}.",
    useQr: "Usar o código QR, ou outro número",
    progress: "Andamento",
    steps: ["Esperando o telefone", "Telefone conectado", "Entrando", "Atualizando", "Conectado"],
    done: "O seu telefone está conectado",
    doneHow:
      "Não há mais nada a fazer aqui: esta página era para um telefone. No telefone ele aparece em “Dispositivos conectados”, onde você pode encerrá-lo a qualquer momento.",
    close: "Você pode fechar esta página.",
    goOn: "Continuar para {host}",
    taken: "Já há um telefone conectado",
    takenHow:
      "Ele não foi conectado nesta página, então não há nada a fazer aqui. Se não é o seu, avise {who}: pode desconectá-lo e enviar você aqui de novo.",
    over: "Esta página terminou",
    overHow:
      "Ela ficou aberta por uma hora, ou falta uma parte do endereço. Peça uma nova à pessoa que a enviou.",
    other: "Esse era outro telefone.",
    otherHow:
      "Ele tem um número diferente do esperado aqui, então foi desconectado. Conecte o telefone cujo número termina em {digits}.",
  },
}

export const english: LinkWords = { ...all.en!, lang: "en" }

/** The words of the first language in a browser's list that there are words for; English otherwise. */
export function linkWordsFor(acceptLanguage = ""): LinkWords {
  const wanted = acceptLanguage.split(",").map((one) => {
    const [tag = "", quality] = one.trim().split(/;\s*q=/)
    return { lang: tag.toLowerCase().split("-")[0] ?? "", q: Number(quality ?? 1) }
  })
  const found = wanted.toSorted((a, b) => b.q - a.q).find(({ lang, q }) => q > 0 && Object.hasOwn(all, lang))
  return found ? { ...all[found.lang]!, lang: found.lang } : english
}

/** A sentence, with its gaps filled. */
export function fill(sentence: string, parts: Record<string, Html | string>): Html {
  return html`${sentence.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : (parts[part] ?? "")))}`
}
