// The button that fixes a broken rule, where the page knows how.
import { createContext, useContext } from 'react';
import { textsOf } from '../../text/texts.ts';
import { fixOf } from './draft-fixes.ts';
import type { DraftForm } from './draft-form.ts';
import type { RuleProblem } from './draft-rules.ts';

/** The form that is edited. */
export const FormContext = createContext<{ form: DraftForm; setForm: (form: DraftForm) => void } | undefined>(
  undefined,
);

export function FixButton({ problem }: { problem: RuleProblem }) {
  const text = textsOf('editor');
  const edited = useContext(FormContext);
  const fix = edited && fixOf(problem, edited.form);
  if (!fix) return null;
  return (
    <button type="button" className="text-button fix" onClick={() => edited.setForm(fix.form)}>
      {text(fix.name)}
    </button>
  );
}
