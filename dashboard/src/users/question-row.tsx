// One question while it is edited: text, kind, options, and its place.
import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import type { SetFormQuestion } from '../../../client/src/generated.ts';
import { IconButton } from '../design/button.tsx';
import { textsOf } from '../text/texts.ts';

const kinds = [
  'text',
  'textarea',
  'number',
  'date',
  'phone',
  'email',
  'url',
  'select',
  'multiselect',
  'checkbox',
] as const;
const questionMax = 500;
const hintMax = 200;

interface Props {
  number: number;
  question: SetFormQuestion;
  onChange: (question: SetFormQuestion) => void;
  onRemove: () => void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}

export function QuestionRow({ number, question, onChange, onRemove, onUp, onDown }: Props) {
  const text = textsOf('users');
  const { questionType, isRequired, options = [], placeholder } = question;
  const set = (change: Partial<SetFormQuestion>) => onChange({ ...question, ...change });
  const isChoice = questionType === 'select' || questionType === 'multiselect';
  return (
    <li className="question-row">
      <input
        className="input grow"
        dir="auto"
        required
        maxLength={questionMax}
        aria-label={text('questionText', { number })}
        value={question.question}
        onChange={({ target }) => set({ question: target.value })}
      />
      <select
        className="input"
        aria-label={text('questionKind', { number })}
        value={questionType}
        onChange={({ target }) => set({ questionType: target.value as SetFormQuestion['questionType'] })}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {text(`kind_${kind}`)}
          </option>
        ))}
      </select>
      <label className="row">
        <input
          type="checkbox"
          checked={isRequired}
          onChange={({ target }) => set({ isRequired: target.checked })}
        />
        {text('required')}
      </label>
      <span className="row tight end">
        {onUp && (
          <IconButton label={text('questionUp', { number })} onClick={onUp}>
            <IconArrowUp size={15} aria-hidden />
          </IconButton>
        )}
        {onDown && (
          <IconButton label={text('questionDown', { number })} onClick={onDown}>
            <IconArrowDown size={15} aria-hidden />
          </IconButton>
        )}
        <IconButton label={text('questionRemove', { number })} onClick={onRemove}>
          <IconTrash size={15} aria-hidden />
        </IconButton>
      </span>
      {isChoice && (
        <label className="field question-more">
          <span className="note">{text('options')}</span>
          <textarea
            className="input tall"
            dir="auto"
            rows={3}
            required
            value={options.join('\n')}
            onChange={({ target }) => set({ options: target.value.split('\n') })}
          />
        </label>
      )}
      {!isChoice && questionType !== 'checkbox' && (
        <input
          className="input question-more"
          dir="auto"
          maxLength={hintMax}
          aria-label={text('questionHint', { number })}
          placeholder={text('hint')}
          value={placeholder ?? ''}
          onChange={({ target }) => set({ placeholder: target.value === '' ? null : target.value })}
        />
      )}
    </li>
  );
}
