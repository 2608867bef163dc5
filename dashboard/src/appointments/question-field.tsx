// The field of a question, by its kind.
import type { FormQuestion } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';

export type Answer = string | string[] | boolean;

interface Props {
  question: FormQuestion;
  answer: Answer | undefined;
  onChange: (answer: Answer) => void;
}

const inputTypes: Partial<Record<FormQuestion['questionType'], string>> = {
  ...{ phone: 'tel', email: 'email', number: 'number', date: 'date', url: 'url' },
};
const answerMax = 4_000;

export function QuestionField({ question, answer, onChange }: Props) {
  const text = textsOf('appointments');
  const { question: words, questionType, isRequired } = question;
  const label = (
    <span className="strong" dir="auto">
      {words} {!isRequired && <span className="note">{text('optional')}</span>}
    </span>
  );
  if (questionType === 'checkbox')
    return (
      <label className="row">
        <input
          type="checkbox"
          required={isRequired}
          checked={answer === true}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
    );
  if (questionType === 'multiselect') return <Several {...{ question, answer, onChange }} />;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in One
    <label className="field">
      {label}
      <One {...{ question, answer, onChange }} />
    </label>
  );
}

/** One text, or one of the options. */
function One({ question: { questionType, options, placeholder, isRequired }, answer, onChange }: Props) {
  const shared = {
    className: 'input',
    required: isRequired,
    value: typeof answer === 'string' ? answer : '',
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (questionType === 'select')
    return (
      <select {...shared}>
        <option value="" />
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  const hint = placeholder === null ? {} : { placeholder };
  if (questionType === 'textarea')
    return (
      <textarea {...shared} {...hint} className="input tall" dir="auto" rows={3} maxLength={answerMax} />
    );
  const type = inputTypes[questionType];
  return (
    <input
      {...shared}
      {...hint}
      {...(type ? { type } : {})}
      {...(type === 'number' ? { step: 'any' } : {})}
      dir={questionType === 'text' ? 'auto' : 'ltr'}
      maxLength={answerMax}
    />
  );
}

/** Any of the options; one at least where an answer is required. */
function Several({ question: { question, options, isRequired }, answer, onChange }: Props) {
  const text = textsOf('appointments');
  const chosen = Array.isArray(answer) ? answer : [];
  return (
    <fieldset className="field several">
      <legend className="strong" dir="auto">
        {question} {!isRequired && <span className="note">{text('optional')}</span>}
      </legend>
      {options.map((option) => (
        <label key={option} className="row">
          <input
            type="checkbox"
            required={isRequired && chosen.length === 0}
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))
            }
          />
          <span dir="auto">{option}</span>
        </label>
      ))}
    </fieldset>
  );
}
