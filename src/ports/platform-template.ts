// Templates as the gateway exchanges them with the platform. Interfaces only.

/** A component in the form of our API (upper-case `type`); members without a meaning here are passed through. */
export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: TemplateButton[];
  example?: Record<string, unknown>;
  [member: string]: unknown;
}

export interface TemplateButton {
  type: string;
  text?: string;
  url?: string;
  example?: unknown;
  [member: string]: unknown;
}

/** A template to submit for review. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: string;
  parameterFormat: 'positional' | 'named';
  components: TemplateComponent[];
  messageTtlSeconds?: number | null;
}

/** A change of a template; absent members stay. Components replace all. */
export interface TemplateEdit {
  providerTemplateId: string;
  components?: TemplateComponent[];
  category?: string;
  messageTtlSeconds?: number | null;
}
