// A name and scopes, for a new key or a new link.
import { type ReactNode, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { TextField } from '../design/text-field.tsx';
import { ScopeChoice } from './scope-choice.tsx';

export interface ScopedName {
  name: string;
  scopes: string[];
}

interface Props {
  title: string;
  note: string;
  nameLabel: string;
  buttonLabel: string;
  isBusy: boolean;
  error: unknown;
  onSubmit: (given: ScopedName) => void;
  /** Other fields. */
  children?: ReactNode;
}

const nameMax = 100;

export function ScopedForm({
  title,
  note,
  nameLabel,
  buttonLabel,
  isBusy,
  error,
  onSubmit,
  children,
}: Props) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  return (
    <Card title={title} note={note}>
      <Form onSubmit={() => onSubmit({ name: name.trim(), scopes })}>
        <div className="fields">
          <TextField label={nameLabel} maxLength={nameMax} value={name} onChange={setName} />
          {children}
        </div>
        <ScopeChoice chosen={scopes} onChange={setScopes} />
        {error != null && <ErrorNote error={error} />}
        <div>
          <Button type="submit" isBusy={isBusy} isDisabled={name.trim() === '' || scopes.length === 0}>
            {buttonLabel}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
