import type { Words } from "./words.ts"

export const spanish: Words = {
  title: "Vincula tu teléfono",
  linkFor: "Vincula tu teléfono para {who}",
  who: "Quien te ha enviado aquí",
  allows: "{who} podrá entonces enviar y recibir mensajes con {number}.",
  ownNumber: "tu número",
  endingIn: "el número que termina en {digits}",
  once: "Esta página sirve una vez, durante {time} más.",
  stop: "¿No te lo ha pedido nadie que conozcas? Entonces cierra esta página:",
  stopWhy: "quien vincula tu teléfono lee tus chats. Ni WhatsApp ni un banco lo piden nunca.",
  undo: "Puedes deshacerlo cuando quieras, en el teléfono: WhatsApp > Ajustes > Dispositivos vinculados.",
  report: "Denunciar esta página",
  thanks: "Gracias",
  thanksHow:
    "Se ha avisado a quienes llevan este servicio. No vincules nada. ¿Ya has vinculado tu teléfono? Entonces desvincúlalo en el teléfono: WhatsApp > Ajustes > Dispositivos vinculados.",
  unofficial:
    "Este servicio se vincula como dispositivo no oficial. La red puede limitar o bloquear un número por ello: vincula uno que puedas permitirte perder.",
  simulated: "Esto es una prueba en una red simulada: ningún teléfono real puede escanear este código.",
  scan: "Escanéalo con el teléfono",
  open: "Abre WhatsApp en el teléfono.",
  devices: "Abre sus ajustes y luego «Dispositivos vinculados».",
  tap: "Toca «Vincular un dispositivo».",
  point: "Apunta la cámara a este código.",
  tapPhone: "Toca «Vincular un dispositivo» y luego «Vincular con el número de teléfono».",
  typeIt: "Escribe el código de arriba.",
  noCamera: "En el propio teléfono, o sin cámara",
  noCameraHow: "Recibes un código de ocho letras y cifras, y lo escribes en el teléfono.",
  noScript: "Sin script, el código no puede seguir a la red. Obtén en su lugar un código para escribir.",
  phone: "El número del teléfono, con el prefijo del país",
  getCode: "Obtener un código para escribir",
  noLink: "¿El teléfono no se vincula?",
  onThePhone: [
    [
      "Dice que hay demasiados dispositivos vinculados",
      "Una cuenta solo puede tener unos pocos. Quita uno en «Dispositivos vinculados» y luego escanea el código aquí.",
    ],
    [
      "Dice que no se pudo vincular el dispositivo",
      "El código había cambiado mientras tanto. Escanea el que se muestra ahora, u obtén un código para escribir.",
    ],
    [
      "Pide una llave de acceso",
      "Deja el teléfono como está. Esta página muestra qué hacer; necesitas un ordenador con Chrome o Edge.",
    ],
  ],
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
  goBack: "Volver",
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
    "No hay nada más que hacer aquí: esta página era para un teléfono. En el teléfono aparece en «Dispositivos vinculados», donde puedes desvincularlo cuando quieras.",
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
  passkey: "WhatsApp pide tu llave de acceso",
  passkeyWhy:
    "El teléfono aceptó el código. Esta cuenta necesita también su llave de acceso, y un navegador solo la usa en la página del propio WhatsApp. Deja el teléfono como está y hazlo en un ordenador. WhatsApp espera {time} más; después empiezas otra vez con un código nuevo.",
  extension:
    "Añade la extensión a este navegador, una vez. Tiene que ser Chrome, Edge u otro Chromium, en un ordenador.",
  addIt: "Cómo añadirla",
  download: "Descargar la extensión",
  unpack: "Descomprime el archivo en una carpeta.",
  openExtensions: "Abre {page} (en Edge {edge}).",
  loadIt: "Activa el «Modo de desarrollador», pulsa «Cargar descomprimida» y elige esa carpeta.",
  usePasskey: "Usar mi llave de acceso",
  leads:
    "Esto lleva a la página de WhatsApp. Allí te pregunta la extensión y luego el navegador: la llave está en este ordenador o en tu teléfono. Vuelves aquí sin hacer nada.",
  nothingAsks:
    "¿No te pregunta nada allí? Entonces este navegador no tiene la extensión: vuelve atrás y haz el primer paso.",
  passkeyOver: "Se acabó el tiempo para la llave de acceso",
  passkeyOverHow:
    "WhatsApp la espera cinco minutos. No se vinculó nada: empieza otra vez y escanea el código nuevo con el teléfono.",
  beginAgain: "Empezar otra vez con un código nuevo",
  accepted: "La llave de acceso fue aceptada",
  acceptedHow:
    "Mira el teléfono: puede preguntar si se vincula el nuevo dispositivo. Esta página sigue sola.",
  tooMuch: "Demasiado a la vez",
  tooMuchHow: "Han llegado demasiadas peticiones desde tu red. Inténtalo de nuevo en {time}.",
  reasons: {
    number_mismatch: [
      "Ese es otro número",
      "Vincula el teléfono cuyo número termina en {digits}, o pide una página nueva.",
    ],
    invalid_request: [
      "Esto no es un número de teléfono",
      "Escríbelo con el prefijo del país, como +34 612 345 678.",
    ],
    unreachable: ["Ahora no se puede llegar al servicio", "Espera unos segundos e inténtalo de nuevo."],
    network_rejected: [
      "La red lo ha rechazado",
      "Comprueba que es el número de ese teléfono. Luego espera unos minutos hasta el código siguiente.",
    ],
    send_outcome_unknown: [
      "La red no ha respondido",
      "Mira si el teléfono ya está vinculado. Si no lo está, pide un código nuevo.",
    ],
    rate_limited: ["Se han pedido demasiados códigos", "Espera un cuarto de hora y pide otro."],
    already_paired: ["Ya hay un teléfono vinculado", "Quien te ha enviado esta página puede desvincularlo."],
    passkey_required: [
      "Un teléfono aceptó el último código, y su cuenta pide una llave de acceso",
      "Abre esta página otra vez: dice qué hacer.",
    ],
    passkey_refused: [
      "La llave de acceso no fue aceptada",
      "Úsala otra vez, para la petición que hay ahora.",
    ],
    stopped: ["Ahora no se puede vincular ningún teléfono", "Pregunta a quien te ha enviado esta página."],
    locked: [
      "Cuenta bloqueada",
      "La red ha bloqueado la cuenta. Desbloquéala en el teléfono y vincúlalo de nuevo.",
    ],
    banned: [
      "Número bloqueado",
      "La red ha bloqueado este número. El teléfono dice si se puede revisar. Hasta entonces ningún código lo vincula.",
    ],
    temporarily_banned: [
      "Bloqueado por un tiempo",
      "La red rechaza este número por un tiempo. No lo vincules otra vez antes.",
    ],
    away: ["Sin conexión", "Se ha perdido la conexión con la red. Vuelve sola."],
    starting: ["Empezando", "Tarda un momento."],
    internal_error: ["Algo ha fallado por nuestra parte", "Inténtalo de nuevo."],
  },
}
