// Suggested stop and start words. Words that also mean something else in a conversation, such as "cancel" or "end", are left out. Pure.

/** Words of one language (BCP 47). */
export interface SuggestedWords {
  language: string;
  stopWords: string[];
  startWords: string[];
}

const of = (language: string, stopWords: string[], startWords: string[]): SuggestedWords => ({
  language,
  stopWords,
  startWords,
});

export const suggestedWords: SuggestedWords[] = [
  of(
    'en',
    ['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'OPT OUT', 'OPTOUT', 'OPT-OUT'],
    ['START', 'UNSTOP', 'SUBSCRIBE', 'OPT IN', 'OPTIN', 'OPT-IN'],
  ),
  of(
    'es',
    ['STOP', 'BAJA', 'DARME DE BAJA', 'NO MÁS MENSAJES', 'CANCELAR SUSCRIPCIÓN', 'PARAR'],
    ['ALTA', 'DARME DE ALTA', 'SUSCRIBIR', 'SUSCRIBIRME'],
  ),
  of(
    'pt',
    ['STOP', 'SAIR', 'PARE', 'DESCADASTRAR', 'CANCELAR INSCRIÇÃO', 'NÃO QUERO MAIS MENSAGENS'],
    ['VOLTAR A RECEBER', 'CADASTRAR', 'INSCREVER'],
  ),
  of(
    'fr',
    ['STOP', 'ARRÊT', 'ARRET', 'ARRÊTER', 'DÉSABONNER', 'DÉSINSCRIRE'],
    ['REPRENDRE', 'ABONNER', 'INSCRIRE'],
  ),
  of(
    'de',
    ['STOP', 'STOPP', 'ABMELDEN', 'ABBESTELLEN', 'AUSTRAGEN'],
    ['ANMELDEN', 'ABONNIEREN', 'EINTRAGEN'],
  ),
  of(
    'it',
    ['STOP', 'FERMA', 'BASTA MESSAGGI', 'DISISCRIVIMI', 'CANCELLAMI'],
    ['ISCRIVIMI', 'RIPRENDI', 'RIATTIVA'],
  ),
  of('hi', ['STOP', 'बंद करें', 'बंद करो', 'संदेश बंद करें', 'सदस्यता समाप्त करें'], ['शुरू करें', 'फिर से शुरू करें', 'सदस्यता लें']),
  of('ar', ['STOP', 'إيقاف', 'توقف', 'إلغاء الاشتراك', 'الغاء الاشتراك'], ['استئناف', 'اشتراك', 'تفعيل']),
  of(
    'id',
    ['STOP', 'BERHENTI', 'BERHENTI BERLANGGANAN', 'STOP PESAN'],
    ['MULAI LAGI', 'LANGGANAN', 'BERLANGGANAN'],
  ),
  of(
    'tr',
    ['STOP', 'DUR', 'DURDUR', 'ABONELİKTEN ÇIK', 'MESAJ İSTEMİYORUM'],
    ['BAŞLA', 'ABONE OL', 'DEVAM ET'],
  ),
];
