// What the editor begins with for kinds of templates that the form does not have. Pure.
import type { Component } from './draft-form.ts';

export const starterKinds = ['carousel', 'offer', 'code', 'catalog', 'flow'] as const;
export type StarterKind = (typeof starterKinds)[number];

const card = (text: string) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', mediaId: '' },
    { type: 'BODY', text },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Tell me more' }] },
  ],
});
const body = (text: string): Component => ({ type: 'BODY', text });

export const starters: Record<
  StarterKind,
  { category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'; components: Component[] }
> = {
  carousel: {
    category: 'MARKETING',
    components: [
      body('Which one fits?'),
      { type: 'CAROUSEL', cards: [card('The first.'), card('The second.')] },
    ],
  },
  offer: {
    category: 'MARKETING',
    components: [
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: '20 % off', has_expiration: true } },
      body('Only this week.'),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'COPY_CODE', example: 'WEEK48' },
          { type: 'URL', text: 'Book now', url: 'https://example.com/' },
        ],
      },
    ],
  },
  code: {
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
  },
  catalog: {
    category: 'MARKETING',
    components: [
      body('Have a look.'),
      { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View catalog' }] },
    ],
  },
  flow: {
    category: 'UTILITY',
    components: [
      body('Fill in the form before your visit.'),
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Open the form', flow_id: '' }] },
    ],
  },
};
