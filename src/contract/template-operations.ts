// The operations of templates and media.
import type { Operation } from './operation.ts';

const templates = { tag: 'Templates' };
const media = { tag: 'Media' };
const provider = ['provider_rejected', 'provider_unavailable'] as const;

export const templateOperations: Record<string, Operation> = {
  'GET /v1/templates': {
    ...templates,
    id: 'listTemplates',
    summary: 'List templates',
    description: 'Newest first, with their content and their state at the messaging platform.',
    message: 'Templates listed.',
  },
  'POST /v1/templates': {
    ...templates,
    id: 'createTemplate',
    summary: 'Create a draft',
    description: 'The draft is not sent to the platform until you submit it.',
    errors: ['template_exists', 'sender_not_configured', 'sender_not_found', 'media_not_found'],
    message: 'Draft created. Submit it for review.',
  },
  'GET /v1/templates/{templateId}': {
    ...templates,
    id: 'getTemplate',
    summary: 'Get a template',
    description: 'Returns the template and the variables that a send must fill.',
    errors: ['template_not_found'],
    message: 'Template found.',
  },
  'GET /v1/templates/{templateId}/history': {
    ...templates,
    id: 'listTemplateChanges',
    summary: 'List the changes of a template',
    description:
      'Every change of its status, category or quality by the platform, newest first, since this list exists. The same changes are `templates.status` events.',
    errors: ['template_not_found'],
    message: 'History listed.',
  },
  'POST /v1/templates/{templateId}/preview': {
    ...templates,
    id: 'previewTemplate',
    summary: 'Preview a template',
    description:
      'Returns the text of every part as the recipient would see it. Sends nothing. If something is missing or invalid, `errors` lists it, and the status is still 200; a placeholder without a value keeps its braces.',
    errors: ['template_not_found'],
    message: 'Template filled.',
  },
  'PATCH /v1/templates/{templateId}': {
    ...templates,
    id: 'editTemplate',
    summary: 'Edit a template',
    description:
      'Edits a draft, or a template at the platform, which reviews it again. If the template already has the given values, nothing happens; submit a rejected template to have it reviewed again as it is. The platform allows edits of approved, rejected and paused templates; of an approved one once in 24 hours and 10 times in 30 days, and never of its category. Otherwise returns 409 `template_not_editable` with `editableAt`. Returns 409 `template_in_use` while messages of the template are queued, unless `cancelQueued` is true, and 409 `conflict` while a draft is being submitted.',
    errors: [
      'template_not_found',
      'template_not_editable',
      'template_in_use',
      'sender_not_configured',
      'media_not_found',
      'media_damaged',
      'storage_unavailable',
      ...provider,
    ],
    message: 'Template edited.',
  },
  'DELETE /v1/templates/{templateId}': {
    ...templates,
    id: 'deleteTemplate',
    summary: 'Delete a template',
    description:
      'Deletes the template here and at the platform; only here if the account has no sender of its business account left. Returns 409 `template_in_use` while messages of the template are queued, unless `cancelQueued` is true, and 409 `conflict` while a draft is being submitted.',
    errors: ['template_not_found', 'template_in_use', ...provider],
    message: 'Template deleted.',
  },
  'POST /v1/templates/{templateId}/submit': {
    ...templates,
    id: 'submitTemplate',
    summary: 'Submit a template for review',
    description:
      'Submits a draft, or a rejected template again. The platform reviews it, and an event `templates.status` reports the result. Returns 409 `conflict` while another request submits the draft, or while it is unknown whether the platform received its last submission, and 409 `template_in_use` while messages of the template are queued, unless `cancelQueued` is true.',
    errors: [
      'template_not_found',
      'template_not_draft',
      'template_not_editable',
      'template_in_use',
      'sender_not_configured',
      'media_not_found',
      'media_damaged',
      'storage_unavailable',
      ...provider,
    ],
    message: 'Template submitted. Its status changes when the platform has reviewed it.',
  },
  'POST /v1/templates/{templateId}/unpause': {
    ...templates,
    id: 'unpauseTemplate',
    summary: 'End the pause of a template',
    description:
      'Ends a pause of the platform; one from its first sends, which the platform delivers in portions, ends no other way. The status changes seconds later, reported by an event `templates.status`, and queued messages are sent. Returns 502 with the platform’s reason if it does not end the pause, as in its first five minutes.',
    errors: ['template_not_found', 'template_not_paused', 'sender_not_configured', ...provider],
    message: 'The platform ends the pause. The status changes when it is read again.',
  },
  'POST /v1/templates/sync': {
    ...templates,
    id: 'syncTemplates',
    summary: 'Synchronize templates with the platform',
    description:
      'Reads the templates of every business account from the platform. The platform limits how often its list can be read: requests shortly after one another share one reading (`reused`), and the gateway reads the list again at `nextReadAt`.',
    errors: ['sender_not_configured', ...provider],
    message: '12 templates read.',
  },
  'POST /v1/templates/media': {
    ...media,
    id: 'uploadMedia',
    summary: 'Upload a file',
    description:
      'Stores one file encrypted and registers it with the messaging platform. Use the returned `mediaId` in sends. Limits: JPEG and PNG 5 MB, MP4 and 3GPP 16 MB, PDF, Office and plain text 100 MB. Uploading the same file again within a day returns the same record.',
    errors: [
      'media_empty',
      'sender_not_found',
      'upload_timeout',
      'sender_not_configured',
      'media_too_large',
      'storage_unavailable',
      ...provider,
    ],
    message: 'File uploaded.',
  },
  'GET /v1/media': {
    ...media,
    id: 'listMedia',
    summary: 'List files',
    description: 'Newest first.',
    message: 'Media listed.',
  },
  'GET /v1/media/{mediaId}': {
    ...media,
    id: 'getMedia',
    summary: 'Get a file’s record',
    errors: ['media_not_found'],
    message: 'Media found.',
  },
  'DELETE /v1/media/{mediaId}': {
    ...media,
    id: 'deleteMedia',
    summary: 'Delete a file',
    description: 'Returns 409 `media_in_use` while queued messages need the file.',
    errors: ['media_not_found', 'media_in_use', 'storage_unavailable', ...provider],
    message: 'Media removed.',
  },
  'GET /v1/media/{mediaId}/content': {
    ...media,
    id: 'downloadMedia',
    summary: 'Download a file',
    description:
      'Returns the file as it was uploaded. JPEG and PNG images and MP4 and 3GPP videos are `inline`, all others attachments. The gateway checks length and digest before it sends the first byte.',
    errors: ['media_not_found', 'media_damaged', 'storage_unavailable'],
    message: '',
  },
};
