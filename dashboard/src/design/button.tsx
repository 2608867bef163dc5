// Buttons: one look for what can be done. A button says what happens, with its number.
import { ActionIcon, Button as MantineButton } from '@mantine/core';
import type { MouseEventHandler, ReactNode } from 'react';
import './button.css';

interface Props {
  children: ReactNode;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  kind?: 'primary' | 'default' | 'quiet' | 'danger';
  icon?: ReactNode;
  isDisabled?: boolean;
  isBusy?: boolean;
  type?: 'button' | 'submit';
  size?: 'small' | 'large';
}

const variants = { primary: 'filled', danger: 'filled', default: 'default', quiet: 'subtle' } as const;

export function Button({
  children,
  onClick,
  kind = 'default',
  icon,
  isDisabled = false,
  isBusy = false,
  type = 'button',
  size = 'small',
}: Props) {
  return (
    <MantineButton
      size={size === 'large' ? 'md' : 'xs'}
      fullWidth={size === 'large'}
      variant={variants[kind]}
      className={kind === 'danger' ? 'danger' : ''}
      leftSection={icon}
      disabled={isDisabled}
      loading={isBusy}
      type={type}
      {...(onClick ? { onClick } : {})}
    >
      {children}
    </MantineButton>
  );
}

/** A button that is only an icon; `label` is read aloud and shown on hover. */
export function IconButton({
  label,
  children,
  onClick,
}: {
  label: string;
  children: ReactNode;
  onClick?: MouseEventHandler<HTMLButtonElement>;
}) {
  return (
    <ActionIcon
      title={label}
      aria-label={label}
      variant="subtle"
      color="gray"
      size={28}
      {...(onClick ? { onClick } : {})}
    >
      {children}
    </ActionIcon>
  );
}
