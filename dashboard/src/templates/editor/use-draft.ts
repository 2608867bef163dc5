// The draft that is edited: as a form, or as JSON for what the form does not have.
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { TemplateDetail } from '../../../../client/src/generated.ts';
import { type Component, componentsOf, type DraftForm, emptyForm, formOf } from './draft-form.ts';
import { problemsOf, type RuleProblem } from './draft-rules.ts';
import type { Category, Identity } from './identity-card.tsx';
import { type StarterKind, starters } from './starters.ts';

export type Mode = 'form' | 'json';

function parsed(json: string): Component[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const jsonOf = (components: readonly Component[]): string => JSON.stringify(components, null, 2);

export interface EditedDraft {
  identity: Identity;
  setIdentity: (identity: Identity) => void;
  mode: Mode;
  /** Undefined: the JSON has something that the form does not know. */
  setMode: ((mode: Mode) => void) | undefined;
  form: DraftForm;
  setForm: (form: DraftForm) => void;
  json: string;
  setJson: (json: string) => void;
  start: (kind: StarterKind) => void;
  /** Undefined: the JSON cannot be read. */
  components: Component[] | undefined;
  /** What the page knows to be wrong; of JSON the API knows more. */
  problems: RuleProblem[];
  /** True if something was typed that is not saved. */
  isChanged: boolean;
  /** It was saved. */
  settle: () => void;
}

export function useDraft(template: TemplateDetail | undefined): EditedDraft {
  const before = template ? formOf(template.components) : emptyForm;
  const [identity, setIdentity] = useState<Identity>({
    name: template?.providerTemplateName ?? '',
    language: template?.language ?? 'en_US',
    category: (template?.category as Category | undefined) ?? 'UTILITY',
  });
  const [form, setForm] = useState(before ?? emptyForm);
  const [mode, setMode] = useState<Mode>(before ? 'form' : 'json');
  const [json, setJson] = useState(jsonOf(template?.components ?? componentsOf(emptyForm)));
  const components = mode === 'form' ? componentsOf(form) : parsed(json);
  const asForm = mode === 'json' && components ? formOf(components) : undefined;
  const maySwitch = mode === 'form' || asForm !== undefined;
  function switchTo(next: Mode): void {
    if (next === 'json') setJson(jsonOf(componentsOf(form)));
    else if (asForm) setForm(asForm);
    setMode(next);
  }
  const content = JSON.stringify([identity, mode === 'form' ? form : json]);
  const [settled, setSettled] = useState(content);
  return {
    isChanged: content !== settled,
    // leaving at once has to see it
    settle: () => flushSync(() => setSettled(content)),
    ...{ identity, setIdentity, mode, form, setForm, json, setJson, components },
    setMode: maySwitch ? switchTo : undefined,
    start: (kind) => {
      const starter = starters[kind];
      setIdentity({ ...identity, category: starter.category });
      setJson(jsonOf(starter.components));
    },
    problems: mode === 'form' ? problemsOf(form, identity.language) : [],
  };
}
