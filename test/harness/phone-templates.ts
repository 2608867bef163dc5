// Templates that tests send, and whose buttons they press on the phone of the sandbox.
const seed = { language: 'en_US', status: 'APPROVED', category: 'MARKETING' };
const card = (text: string) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Book' },
        { type: 'URL', text: 'Prices', url: 'https://example.com/prices' },
      ],
    },
  ],
});

/** The text of a campaign: a name, and until when. */
export const offer = {
  ...{ name: 'diwali_offer', ...seed },
  components: [{ type: 'BODY', text: 'Hi {{1}}, 20 % off until {{2}}.' }],
};

/** A text with a quick reply. */
export const visit = {
  ...{ name: 'visit', ...seed, category: 'UTILITY' },
  components: [
    { type: 'BODY', text: 'Hi {{1}}, see you tomorrow.', example: { body_text: [['Ada']] } },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Another time' }] },
  ],
};

/** Two cards, each with a quick reply and an address. */
export const checkups = {
  ...{ name: 'checkups', ...seed },
  components: [
    { type: 'BODY', text: 'Which one?' },
    { type: 'CAROUSEL', cards: [card('Adult'), card('Family')] },
  ],
};

/** What fills `checkups`: the payload of each card. */
export const checkupCards = ['adult', 'family'].map((payload) => ({
  headerMediaUrl: 'https://example.com/a.png',
  buttons: [{ index: 0, payload }],
}));

/** A button that opens a form. */
export const form = {
  ...{ name: 'form', ...seed },
  components: [
    { type: 'BODY', text: 'Tell us.' },
    { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Fill in' }] },
  ],
};
