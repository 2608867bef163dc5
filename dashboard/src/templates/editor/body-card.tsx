// The body of a draft: its text with variables, and an example for each.
import IconVariable from '@tabler/icons-react/dist/esm/icons/IconVariable.mjs';
import { useRef } from 'react';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { textsOf } from '../../text/texts.ts';
import { type DraftForm, isPositional, variablesOf } from './draft-form.ts';
import { limits, type RuleProblem } from './draft-rules.ts';
import { Field } from './field.tsx';

interface Props {
  body: DraftForm['body'];
  problems: RuleProblem[];
  onChange: (body: DraftForm['body']) => void;
}

export function BodyCard({ body, problems, onChange }: Props) {
  const text = textsOf('editor');
  const box = useRef<HTMLDivElement>(null);
  const names = variablesOf(body.text);
  const own = problems.filter(({ field }) => field === 'body');
  function insert(): void {
    const area = box.current?.querySelector('textarea');
    const at = area?.selectionStart ?? body.text.length;
    const name = isPositional(names) ? String(names.length + 1) : `value_${names.length + 1}`;
    onChange({
      ...body,
      text: `${body.text.slice(0, at)}{{${name}}}${body.text.slice(area?.selectionEnd ?? at)}`,
    });
    area?.focus();
  }
  return (
    <Card
      title={text('body')}
      end={
        <Button icon={<IconVariable size={15} aria-hidden />} onClick={insert}>
          {text('addVariable')}
        </Button>
      }
    >
      <div ref={box}>
        <Field
          id="body-text"
          label={text('body')}
          value={body.text}
          problems={own}
          most={limits.body}
          rows={4}
          note={text('bodyNote')}
          onChange={(value) => onChange({ ...body, text: value })}
        />
      </div>
      {names.length > 0 && (
        <>
          <h3 className="examples-title">{text('examples')}</h3>
          <div className="example-grid">
            {names.map((name) => (
              <label key={name} className="row">
                <span className="mono note" dir="ltr">
                  {name}
                </span>
                <input
                  className="input grow"
                  dir="auto"
                  aria-label={text('exampleFor', { name })}
                  placeholder={text('example')}
                  value={body.examples[name] ?? ''}
                  onChange={({ target }) =>
                    onChange({ ...body, examples: { ...body.examples, [name]: target.value } })
                  }
                />
              </label>
            ))}
          </div>
        </>
      )}
    </Card>
  );
}
