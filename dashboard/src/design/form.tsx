// A form that is submitted without loading the page again.
import type { ComponentProps } from 'react';

interface Props extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => void;
}

/** Takes what a form takes. */
export const Form = ({ onSubmit, className = 'column loose', ...form }: Props) => (
  <form
    {...form}
    className={className}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  />
);
