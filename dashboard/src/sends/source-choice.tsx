// A file with recipients, or pasted ones.
import IconFileSpreadsheet from '@tabler/icons-react/dist/esm/icons/IconFileSpreadsheet.mjs';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { pastedBlob, readSource, type Source, UnreadableFile } from './source.ts';
import './sends.css';

export function SourceChoice({ onRead }: { onRead: (source: Source) => void }) {
  const text = textsOf('sends');
  const [pasted, setPasted] = useState('');
  const [problem, setProblem] = useState('');
  const [isReading, setReading] = useState(false);
  const [isOver, setOver] = useState(false);
  async function read(name: string, blob: Blob): Promise<void> {
    setProblem('');
    setReading(true);
    try {
      onRead(await readSource(name, blob));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      setProblem(text(`unreadable_${error.reason}`, { line: formatNumber(error.line) }));
    } finally {
      setReading(false);
    }
  }
  return (
    <>
      {problem && (
        <div className="note-box bad" role="alert">
          {problem}
        </div>
      )}
      <Card title={text('fromFile')} note={text('fromFileNote')}>
        <label
          className={isOver ? 'drop over' : 'drop'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            const [file] = event.dataTransfer.files;
            if (file && !isReading) void read(file.name, file);
          }}
        >
          <IconFileSpreadsheet size={20} stroke={1.5} aria-hidden />
          <span className="grow">{text('chooseFile')}</span>
          <span className="button default" aria-hidden="true">
            {text('browse')}
          </span>
          <input
            type="file"
            className="hidden-text"
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            disabled={isReading}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void read(file.name, file);
              // the same file can be chosen again after it was changed
              target.value = '';
            }}
          />
        </label>
      </Card>
      <Card title={text('paste')} note={text('pasteNote')}>
        <div className="column">
          <textarea
            className="input area"
            rows={6}
            dir="ltr"
            aria-label={text('paste')}
            placeholder={'phone,name\n15551234567,Ada'}
            value={pasted}
            onChange={({ target }) => setPasted(target.value)}
          />
          <div className="row">
            <Button
              isBusy={isReading}
              isDisabled={pasted.trim() === ''}
              onClick={() => void read(text('pasted'), pastedBlob(pasted))}
            >
              {text('readPasted')}
            </Button>
          </div>
        </div>
      </Card>
    </>
  );
}
