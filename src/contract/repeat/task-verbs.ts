/** Verbs that tasks begin with: "call Ada". */
export const ENGLISH_VERBS =
  "call|ring|phone|text|email|ping|message|meet|join|leave|go|check|remind|wake|collect|fetch|pick up";

/** Verbs that tasks end with: "Ada anrufen". */
export const GERMAN_VERBS =
  "(?:an|zurück)(?:zu)?rufen|telefonieren|treffen|losfahren|losgehen|aufbrechen|abholen|nachsehen|nachschauen|prüfen|erinnern|" +
  "(?:auf)?wecken|melden|antworten|anschreiben";
