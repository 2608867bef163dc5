// Templates at the demonstration's platform, and drafts in its account (data).
import type { CreateTemplate } from '../client/src/client.ts';
import type { TemplateSeed } from '../sandbox/control.ts';

type Seed = Omit<TemplateSeed, 'wabaId'>;

const approved = { language: 'en_US', status: 'APPROVED', quality: 'GREEN' } as const;

/** The template of the first command: a plain body with three variables. */
export const firstTemplateName = 'order_update';
/** A template with an image header. */
const imageTemplateName = 'new_collection';

export const platformTemplates: Seed[] = [
  {
    ...approved,
    name: firstTemplateName,
    category: 'UTILITY',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{1}}, your order {{2}} is on its way and arrives {{3}}.',
        example: { body_text: [['Ada', 'A-1001', 'on Friday']] },
      },
      { type: 'FOOTER', text: 'Sent by the demonstration' },
    ],
  },
  {
    ...approved,
    name: 'appointment_reminder',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'See you, {{1}}', example: { header_text: ['Ada'] } },
      {
        type: 'BODY',
        text: 'Your appointment with {{1}} is on {{2}}.',
        example: { body_text: [['Dr. Sen', '10 June, 09:00']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'I will come' },
          { type: 'QUICK_REPLY', text: 'Another day' },
        ],
      },
    ],
  },
  {
    ...approved,
    name: imageTemplateName,
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/sample.png'] } },
      {
        type: 'BODY',
        text: 'Hello {{1}}, our new collection is here.',
        example: { body_text: [['Ada']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'See it',
            url: 'https://shop.example.com/c/{{1}}',
            example: ['https://shop.example.com/c/summer'],
          },
        ],
      },
    ],
  },
  {
    ...approved,
    name: 'invoice',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['https://example.com/sample.pdf'] } },
      {
        type: 'BODY',
        text: 'Hi {{1}}, here is your invoice {{2}}.',
        example: { body_text: [['Ada', 'INV-7']] },
      },
    ],
  },
  {
    ...approved,
    name: 'spring_sale',
    category: 'MARKETING',
    components: [
      { type: 'BODY', text: 'Hello {{1}}, take {{2}} off.', example: { body_text: [['Ada', '25 %']] } },
      { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy code', example: 'SPRING25' }] },
    ],
  },
  {
    ...approved,
    name: 'login_code',
    category: 'AUTHENTICATION',
    components: [
      {
        type: 'BODY',
        text: '*{{1}}* is your verification code.',
        add_security_recommendation: true,
        example: { body_text: [['123456']] },
      },
      { type: 'FOOTER', code_expiration_minutes: 10, text: 'This code expires in 10 minutes.' },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'Copy code',
            url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
            example: ['https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456'],
          },
        ],
      },
    ],
  },
  {
    ...approved,
    name: 'clinic_directions',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'LOCATION' },
      { type: 'BODY', text: 'This is the way to us, {{1}}.', example: { body_text: [['Ada']] } },
    ],
  },
  {
    ...approved,
    name: 'welcome_named',
    category: 'MARKETING',
    parameterFormat: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Welcome {{first_name}}, your {{plan}} plan is ready.',
        example: {
          body_text_named_params: [
            { param_name: 'first_name', example: 'Ada' },
            { param_name: 'plan', example: 'Team' },
          ],
        },
      },
    ],
  },
  {
    name: 'sandbox_pending_survey',
    language: 'en_US',
    status: 'PENDING',
    category: 'MARKETING',
    components: [{ type: 'BODY', text: 'How was it, {{1}}?', example: { body_text: [['Ada']] } }],
  },
  {
    name: 'feedback_request',
    language: 'hi',
    status: 'REJECTED',
    rejectedReason: 'PROMOTIONAL',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'नमस्ते {{1}}, हमें बताइए।', example: { body_text: [['Ada']] } }],
  },
];

/** Drafts in the gateway, not submitted yet. */
export const drafts: CreateTemplate[] = [
  {
    providerTemplateName: 'holiday_hours',
    language: 'en_US',
    category: 'UTILITY',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{1}}, we are closed on {{2}}.',
        example: { body_text: [['Ada', '24 December']] },
      },
    ],
  },
];
