// A dialog whose code is loaded when it is first opened. If it cannot be, the page stays as it is.
import { type ComponentType, useEffect, useState } from 'react';
import { textsOf } from '../text/texts.ts';
import { Button } from './button.tsx';

type DialogComponent = ComponentType<{ onClose: () => void }>;

interface Props {
  isOpen: boolean;
  load: () => Promise<DialogComponent>;
  onClose: () => void;
}

export function LoadedDialog({ isOpen, load, onClose }: Props) {
  const text = textsOf('common');
  const [loaded, setLoaded] = useState<{ Dialog: DialogComponent }>();
  const [hasFailed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once each time it is opened
  useEffect(() => {
    if (!isOpen || loaded) return;
    load().then(
      (Dialog) => setLoaded({ Dialog }),
      () => {
        setFailed(true);
        onClose();
      },
    );
  }, [isOpen]);
  // browsers do not load a module again that failed: the page has to be, but the person says when
  if (hasFailed)
    return (
      <span role="alert" className="row nowrap small bad-text">
        {text('failed')}
        <Button onClick={() => location.reload()}>{text('tryNow')}</Button>
      </span>
    );
  return isOpen && loaded ? <loaded.Dialog onClose={onClose} /> : null;
}
