// The members of inbound messages by kind, in the form of the platform's documentation (pure).

export interface InboundFile {
  id: string;
  mimeType: string;
  /** Base64 of the digest, as in the platform's callbacks. */
  sha256: string;
  fileName?: string;
}

/** The first bytes of a small file of each media kind. */
export const sampleFiles: Record<string, { mimeType: string; hex: string; fileName?: string }> = {
  image: { mimeType: 'image/jpeg', hex: 'ffd8ffe000104a46494600010100000100010000ffd9' },
  sticker: {
    mimeType: 'image/webp',
    hex: '524946461a000000574542505650384c0d0000002f0000001007101111888808',
  },
  video: { mimeType: 'video/mp4', hex: '0000001866747970697336d000000000697336d06d703431' },
  audio: { mimeType: 'audio/ogg; codecs=opus', hex: '4f67675300020000000000000000000000000000' },
  voicemail: { mimeType: 'audio/ogg; codecs=opus', hex: '4f67675300020000000000000000000000000000' },
  document: { mimeType: 'application/pdf', hex: '255044462d312e340a25454f460a', fileName: 'offer.pdf' },
};

const mediaMember = (file: InboundFile, more: object = {}) => ({
  ...(file.fileName === undefined ? {} : { filename: file.fileName }),
  ...{ mime_type: file.mimeType, sha256: file.sha256, id: file.id },
  ...more,
});
const interactive = (type: string, reply: object) => ({
  type: 'interactive',
  interactive: { type, [type]: reply },
});
const ad = {
  source_url: 'https://fb.me/2ZuVHVSmE',
  source_id: '120226305854810726',
  source_type: 'ad',
  body: 'Chat with us',
  headline: 'Lucky Shrub',
  media_type: 'image',
  image_url: 'https://scontent.example/ad.jpg',
  ctwa_clid:
    'Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4_0NiNhEgpGo0AHemvuSoifXaytfTzcchptiErTKCqTrJ5nW1h7IHYeYymGb5K5J5iTROpBhWAGaIAeUzHL50',
  welcome_message: { text: 'Hi there! Let us know how we can help!' },
};

/** The kinds that a person can write, with what the control call needs for each. */
export const inboundKinds: Record<string, (file: InboundFile) => object> = {
  text: () => ({ type: 'text', text: { body: 'Hello!' } }),
  ad_text: () => ({ type: 'text', text: { body: 'Is this still available?' }, referral: ad }),
  product_text: () => ({
    type: 'text',
    text: { body: 'In blue?' },
    context: {
      from: '15550100000',
      id: 'wamid.PRODUCT',
      referred_product: { catalog_id: '194836987003835', product_retailer_id: 'sku-7' },
    },
  }),
  forwarded: () => ({ type: 'text', text: { body: 'Look' }, context: { frequently_forwarded: true } }),
  image: (file) => ({ type: 'image', image: mediaMember(file, { caption: 'A photo' }) }),
  video: (file) => ({ type: 'video', video: mediaMember(file, { caption: 'A film' }) }),
  audio: (file) => ({ type: 'audio', audio: mediaMember(file, { voice: true }) }),
  voicemail: (file) => ({ type: 'audio', audio: mediaMember(file, { voice: true }) }),
  document: (file) => ({ type: 'document', document: mediaMember(file, { caption: 'The offer' }) }),
  sticker: (file) => ({ type: 'sticker', sticker: mediaMember(file, { animated: false }) }),
  button: () => ({ type: 'button', button: { payload: 'STOP_PROMOTIONS', text: 'Stop promotions' } }),
  button_reply: () => interactive('button_reply', { id: 'change', title: 'Change' }),
  list_reply: () =>
    interactive('list_reply', { id: 'express', title: 'Express', description: 'Next day to 2 days' }),
  flow_reply: () =>
    interactive('nfm_reply', {
      name: 'flow',
      body: 'Sent',
      response_json: '{"flow_token":"unused","seats":"2"}',
    }),
  call_permission_reply: () =>
    interactive('call_permission_reply', {
      response: 'accept',
      is_permanent: false,
      response_source: 'user_action',
    }),
  location: () => ({
    type: 'location',
    location: { latitude: 37.483307, longitude: 122.148981, name: 'Pablo Morales', address: '1 Hacker Way' },
  }),
  contacts: () => ({
    type: 'contacts',
    contacts: [
      {
        name: { formatted_name: 'Barbara J. Johnson', first_name: 'Barbara', last_name: 'Johnson' },
        org: { company: 'Social Tsunami' },
        phones: [{ phone: '+1 (415) 555-0829', wa_id: '14155550829', type: 'MOBILE' }],
        emails: [{ email: 'bjohnson@example.com', type: 'WORK' }],
      },
    ],
  }),
  reaction: () => ({ type: 'reaction', reaction: { message_id: 'wamid.REACTED', emoji: '\u{1f44d}' } }),
  reaction_removed: () => ({ type: 'reaction', reaction: { message_id: 'wamid.REACTED' } }),
  order: () => ({
    type: 'order',
    order: {
      catalog_id: '194836987003835',
      text: 'Love these!',
      product_items: [{ product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' }],
    },
  }),
  unsupported: () => ({
    type: 'unsupported',
    errors: [
      {
        code: 131051,
        title: 'Message type unknown',
        message: 'Message type unknown',
        error_data: { details: 'Message type is currently not supported.' },
      },
    ],
    unsupported: { type: 'poll' },
  }),
  unavailable: () => ({
    type: 'unsupported',
    errors: [{ code: 131060, title: 'This message is unavailable', message: 'This message is unavailable' }],
  }),
  // what somebody who was asked for their contact information by a template's button sends
  contact_request: () => ({
    type: 'contacts',
    contacts: [
      {
        vcard:
          'BEGIN:VCARD\nVERSION:3.0\nFN:Pablo M.\nTEL;type=MOBILE;waid=16505551234:+1 (650) 555-1234\nEND:VCARD',
        origin: 'contact_request',
        phones: [{ phone: '+1 (650) 555-1234', wa_id: '16505551234', type: 'MOBILE' }],
      },
    ],
  }),
  group_text: () => ({
    type: 'text',
    text: { body: 'What does everyone think?' },
    group_id: 'Y2FwaV9ncm91cDox',
  }),
  edit: () => ({
    type: 'edit',
    edit: {
      original_message_id: 'wamid.EARLIER',
      message: { type: 'text', text: { body: 'Hello again!' }, context: { id: 'M0' } },
    },
  }),
  revoke: () => ({ type: 'revoke', revoke: { original_message_id: 'wamid.EARLIER' } }),
  // an earlier word for a kind that is not passed on
  unknown: () => ({
    type: 'unknown',
    errors: [
      {
        code: 130501,
        title: 'Unsupported message type',
        message: 'Message type is not currently supported',
        error_data: { details: 'Message type is not currently supported' },
      },
    ],
  }),
  request_welcome: () => ({ type: 'request_welcome' }),
};
