// Above every page, where it covers nothing: that the gateway takes long to answer, with a way to ask again.
import { useQueryClient } from '@tanstack/react-query';
import { readAgain, useSlowReads } from '../api/slow-reads.ts';
import { Button } from '../design/button.tsx';
import { shapes } from '../design/icons.tsx';
import { textsOf } from '../text/texts.ts';
import './slow-note.css';

export function SlowNote() {
  const text = textsOf('common');
  const queries = useQueryClient();
  const isSlow = useSlowReads();
  return (
    <div className="slow-note" role="status">
      {isSlow && (
        <div className="note-box warn">
          {shapes.hourglass}
          <span className="grow strong">{text('slow')}</span>
          <Button onClick={() => void readAgain(queries)}>{text('tryNow')}</Button>
        </div>
      )}
    </div>
  );
}
