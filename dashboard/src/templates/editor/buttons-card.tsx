// The buttons of a draft, in order.
import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { IconButton } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { textsOf } from '../../text/texts.ts';
import { buttonTypes, type FormButton, variablesOf } from './draft-form.ts';
import { limits, type RuleProblem } from './draft-rules.ts';
import { Field } from './field.tsx';
import { FixButton } from './fix-button.tsx';
import { ruleText } from './rule-text.ts';

interface Props {
  buttons: FormButton[];
  problems: RuleProblem[];
  onChange: (buttons: FormButton[]) => void;
}

export function ButtonsCard({ buttons, problems, onChange }: Props) {
  const text = textsOf('editor');
  const change = (key: string, more: Partial<FormButton>) =>
    onChange(buttons.map((button) => (button.key === key ? { ...button, ...more } : button)));
  const add = (type: FormButton['type']) =>
    onChange([...buttons, { key: crypto.randomUUID(), type, text: '', value: '', example: '' }]);
  const moveDown = (at: number) =>
    onChange(
      buttons.map(
        (button, index) => buttons[index === at ? at + 1 : index === at + 1 ? at : index] ?? button,
      ),
    );
  return (
    <Card title={text('buttons')} note={text('ofLength', { used: buttons.length, most: limits.buttons })}>
      <div className="column loose">
        {buttons.length > 0 && (
          <ul className="column loose">
            {buttons.map((button, index) => (
              <li key={button.key} className="button-row">
                <div className="row">
                  <span className="strong grow">{text(`button_${button.type}`)}</span>
                  {index < buttons.length - 1 && (
                    <IconButton label={text('moveDown')} onClick={() => moveDown(index)}>
                      <IconArrowDown size={16} aria-hidden />
                    </IconButton>
                  )}
                  <IconButton
                    label={text('removeButton')}
                    onClick={() => onChange(buttons.filter(({ key }) => key !== button.key))}
                  >
                    <IconTrash size={16} aria-hidden />
                  </IconButton>
                </div>
                <ButtonFields
                  button={button}
                  problems={problems.filter(({ field }) => field === `buttons.${button.key}`)}
                  onChange={(more) => change(button.key, more)}
                />
              </li>
            ))}
          </ul>
        )}
        {problems
          .filter(({ field }) => field === 'buttons')
          .map((problem) => (
            <p key={problem.rule} className="bad-text">
              {ruleText(problem)} <FixButton problem={problem} />
            </p>
          ))}
        <div className="row wrap">
          {buttonTypes.map((type) => (
            <button key={type} type="button" className="chip" onClick={() => add(type)}>
              + {text(`button_${type}`)}
            </button>
          ))}
        </div>
      </div>
    </Card>
  );
}

interface FieldsProps {
  button: FormButton;
  problems: RuleProblem[];
  onChange: (more: Partial<FormButton>) => void;
}

/** The fields that the kind of button has. */
function ButtonFields({
  button: { key, type, text: label, value, example },
  problems,
  onChange,
}: FieldsProps) {
  const text = textsOf('editor');
  const hasVariable = type === 'URL' && variablesOf(value).length > 0;
  const ofLabel = problems.filter(({ rule }) => ['tooLong', 'noVariables', 'missing'].includes(rule));
  const ofValue = problems.filter(({ rule }) => !['noVariables', 'missing'].includes(rule));
  return (
    <div className="button-fields">
      {type !== 'COPY_CODE' && (
        <Field
          id={`${key}-label`}
          label={text('buttonText')}
          placeholder={text('buttonText')}
          value={label}
          most={limits.label}
          problems={ofLabel}
          onChange={(typed) => onChange({ text: typed })}
        />
      )}
      {type !== 'QUICK_REPLY' && (
        <Field
          id={`${key}-value`}
          label={text(`value_${type}`)}
          placeholder={text(`value_${type}`)}
          value={value}
          isLtr
          problems={ofValue}
          note={text(`note_${type}`)}
          onChange={(typed) => onChange({ value: typed })}
        />
      )}
      {hasVariable && (
        <Field
          id={`${key}-example`}
          label={text('exampleAddress')}
          placeholder={text('exampleAddress')}
          value={example}
          isLtr
          onChange={(typed) => onChange({ example: typed })}
        />
      )}
    </div>
  );
}
