import type { Words } from "./words.ts"

export const italian: Words = {
  title: "Collega il tuo telefono",
  linkFor: "Collega il tuo telefono per {who}",
  who: "Chi ti ha mandato qui",
  allows: "{who} potrà poi inviare e ricevere messaggi con {number}.",
  ownNumber: "il tuo numero",
  endingIn: "il numero che finisce con {digits}",
  once: "Questa pagina vale una volta, ancora per {time}.",
  stop: "Non te l'ha chiesto nessuno che conosci? Allora chiudi questa pagina:",
  stopWhy: "chi collega il tuo telefono legge le tue chat. Né WhatsApp né una banca lo chiedono mai.",
  undo: "Puoi annullarlo in ogni momento, sul telefono: WhatsApp > Impostazioni > Dispositivi collegati.",
  report: "Segnala questa pagina",
  thanks: "Grazie",
  thanksHow:
    "Chi gestisce questo servizio è stato avvisato. Non collegare nulla. Hai già collegato il telefono? Allora scollegalo sul telefono: WhatsApp > Impostazioni > Dispositivi collegati.",
  unofficial:
    "Questo servizio si collega come dispositivo non ufficiale. La rete può limitare o bloccare un numero per questo: collegane uno che puoi permetterti di perdere.",
  simulated: "Questa è una prova su una rete simulata: nessun telefono reale può scansionare questo codice.",
  scan: "Scansionalo con il telefono",
  open: "Apri WhatsApp sul telefono.",
  devices: "Apri le impostazioni, poi «Dispositivi collegati».",
  tap: "Tocca «Collega un dispositivo».",
  point: "Inquadra questo codice con la fotocamera.",
  tapPhone: "Tocca «Collega un dispositivo», poi «Collega con numero di telefono».",
  typeIt: "Scrivi il codice qui sopra.",
  noCamera: "Sul telefono stesso, o senza fotocamera",
  noCameraHow: "Ricevi un codice di otto lettere e cifre e lo scrivi sul telefono.",
  noScript: "Senza script il codice non può seguire la rete. Ottieni invece un codice da scrivere.",
  phone: "Il numero del telefono, con il prefisso del paese",
  getCode: "Ottieni un codice da scrivere",
  noLink: "Il telefono non si collega?",
  onThePhone: [
    [
      "Dice che ci sono troppi dispositivi collegati",
      "Un account può averne solo pochi. Rimuovine uno in «Dispositivi collegati», poi scansiona il codice qui.",
    ],
    [
      "Dice che non è stato possibile collegare il dispositivo",
      "Nel frattempo il codice era cambiato. Scansiona quello mostrato ora, o ottieni un codice da scrivere.",
    ],
    [
      "Chiede una passkey",
      "Lascia il telefono com'è. Questa pagina mostra che cosa fare; ti serve un computer con Chrome o Edge.",
    ],
  ],
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
  goBack: "Torna indietro",
  progress: "Avanzamento",
  steps: ["Aspetta il telefono", "Telefono collegato", "Accesso in corso", "Recupera", "Connesso"],
  done: "Il tuo telefono è collegato",
  doneHow:
    "Qui non c'è altro da fare: questa pagina era per un telefono. Sul telefono si trova in «Dispositivi collegati», dove puoi scollegarlo in ogni momento.",
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
  passkey: "WhatsApp chiede la tua passkey",
  passkeyWhy:
    "Il telefono ha accettato il codice. Questo account ha bisogno anche della sua passkey, e un browser la usa solo sulla pagina di WhatsApp stesso. Lascia il telefono com'è e continua su un computer. WhatsApp aspetta ancora {time}; poi ricominci con un nuovo codice.",
  extension:
    "Aggiungi l'estensione a questo browser, una volta. Deve essere Chrome, Edge o un altro Chromium, su un computer.",
  addIt: "Come aggiungerla",
  download: "Scarica l'estensione",
  unpack: "Estrai il file in una cartella.",
  openExtensions: "Apri {page} (in Edge {edge}).",
  loadIt:
    "Attiva la «Modalità sviluppatore», premi «Carica estensione non pacchettizzata» e scegli quella cartella.",
  usePasskey: "Usa la mia passkey",
  leads:
    "Questo porta alla pagina di WhatsApp. Lì ti chiede l'estensione, poi il browser: la passkey è su questo computer o sul telefono. Torni qui senza fare nulla.",
  nothingAsks:
    "Lì non ti chiede nulla? Allora questo browser non ha l'estensione: torna indietro e fai il primo passo.",
  passkeyOver: "Il tempo per la passkey è finito",
  passkeyOverHow:
    "WhatsApp la aspetta cinque minuti. Non è stato collegato nulla: ricomincia e scansiona il nuovo codice con il telefono.",
  beginAgain: "Ricomincia con un nuovo codice",
  accepted: "La passkey è stata accettata",
  acceptedHow:
    "Guarda il telefono: può chiedere se collegare il nuovo dispositivo. Questa pagina prosegue da sola.",
  tooMuch: "Troppo in una volta",
  tooMuchHow: "Dalla tua rete sono arrivate troppe richieste. Riprova tra {time}.",
  reasons: {
    number_mismatch: [
      "È un altro numero",
      "Collega il telefono il cui numero termina con {digits}, o chiedi una nuova pagina.",
    ],
    invalid_request: [
      "Questo non è un numero di telefono",
      "Scrivilo con il prefisso del paese, come +39 312 345 6789.",
    ],
    unreachable: ["Ora il servizio non è raggiungibile", "Aspetta qualche secondo, poi riprova."],
    network_rejected: [
      "La rete ha rifiutato",
      "Controlla che sia il numero di quel telefono. Poi aspetta qualche minuto prima del prossimo codice.",
    ],
    send_outcome_unknown: [
      "La rete non ha risposto",
      "Guarda se il telefono è già collegato. Se non lo è, chiedi un nuovo codice.",
    ],
    rate_limited: ["Sono stati chiesti troppi codici", "Aspetta un quarto d'ora, poi chiedine ancora uno."],
    already_paired: ["Un telefono è già collegato", "Chi ti ha mandato questa pagina può scollegarlo."],
    passkey_required: [
      "Un telefono ha accettato l'ultimo codice, e il suo account vuole una passkey",
      "Apri di nuovo questa pagina: dice che cosa fare.",
    ],
    passkey_refused: ["La passkey non è stata accettata", "Usala di nuovo, per la richiesta che c'è ora."],
    stopped: ["Ora non si può collegare nessun telefono", "Chiedi a chi ti ha mandato questa pagina."],
    locked: [
      "Account bloccato",
      "La rete ha bloccato l'account. Sbloccalo sul telefono, poi collegalo di nuovo.",
    ],
    banned: [
      "Numero bloccato",
      "La rete ha bloccato questo numero. Il telefono dice se si può chiedere una revisione. Fino ad allora nessun codice lo collega.",
    ],
    temporarily_banned: [
      "Bloccato per qualche tempo",
      "La rete rifiuta questo numero per qualche tempo. Non collegarlo di nuovo prima.",
    ],
    away: ["Nessuna connessione", "La connessione alla rete è persa. Torna da sola."],
    starting: ["In avvio", "Ci vuole un momento."],
    internal_error: ["Qualcosa è andato storto da noi", "Riprova."],
  },
}
