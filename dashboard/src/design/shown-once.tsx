// A secret that is shown once: it stays until the person says that it is stored.
import { textsOf } from '../text/texts.ts';
import { Button } from './button.tsx';
import { IdChip } from './id-chip.tsx';
import { KeepTyped } from './keep-typed.tsx';

interface Props {
  value: string;
  /** What it is: "secret". */
  label: string;
  text: string;
  onStored: () => void;
}

const keptCharacters = 160;

export function ShownOnce({ value, label, text: explanation, onStored }: Props) {
  const text = textsOf('common');
  return (
    <div className="note-box accent" role="status">
      <KeepTyped isChanged effect={text('leaveSecret')} />
      <div className="grow column">
        <div className="strong">{explanation}</div>
        <div>
          <IdChip value={value} label={label} keep={keptCharacters} />
        </div>
      </div>
      <Button kind="primary" onClick={onStored}>
        {text('stored')}
      </Button>
    </div>
  );
}
