// The keys of the page: all of them as a list, and those of one character on or off.
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { OpenKeyList } from '../design/key-help.tsx';
import { switchLetterKeys, useLetterKeys } from '../design/letter-keys.ts';
import { textsOf } from '../text/texts.ts';

export function Shortcuts() {
  const text = textsOf('settings');
  const isOn = useLetterKeys();
  const [isListed, setListed] = useState(false);
  return (
    <Card
      title={text('shortcuts')}
      note={text('viewerNote')}
      end={
        <Button kind="quiet" onClick={() => setListed(true)}>
          {text('showShortcuts')}
        </Button>
      }
    >
      <label className="row">
        <input type="checkbox" checked={isOn} onChange={({ target }) => switchLetterKeys(target.checked)} />
        <span>
          {text('letterKeys')} <span className="note">{text('letterKeysNote')}</span>
        </span>
      </label>
      <OpenKeyList isOpen={isListed} onClose={() => setListed(false)} />
    </Card>
  );
}
