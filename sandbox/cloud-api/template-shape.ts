// What a template needs to be sent: its header's format, its placeholders, its lengths (pure).
import type { Button, Component, Template } from './model.ts';

/** A text with placeholders. */
export interface TextShape {
  /** Distinct placeholders: by number if positional, else in the order in which they stand. */
  names: string[];
  /** Every use of a placeholder, and the characters around them. */
  uses: string[];
  fixedChars: number;
}

export interface ButtonShape extends TextShape {
  type: string;
}

export interface TemplateShape {
  named: boolean;
  /** NONE, TEXT, IMAGE, VIDEO, DOCUMENT, GIF or LOCATION. */
  headerFormat: string;
  header: TextShape;
  body: TextShape;
  buttons: ButtonShape[];
}

const shapes = new WeakMap<Template, TemplateShape>();

/** The shape of a template, made once for each; a changed template is a new object. */
export function shapeOf(template: Template): TemplateShape {
  let shape = shapes.get(template);
  if (!shape) {
    shape = makeShape(template);
    shapes.set(template, shape);
  }
  return shape;
}

function makeShape({ components, parameterFormat }: Template): TemplateShape {
  const header = componentOf(components, 'HEADER');
  const buttons = componentOf(components, 'BUTTONS')?.buttons ?? [];
  return {
    named: parameterFormat === 'NAMED',
    headerFormat: header ? (header.format ?? 'TEXT').toUpperCase() : 'NONE',
    header: textShape(header?.text ?? ''),
    body: textShape(componentOf(components, 'BODY')?.text ?? ''),
    buttons: buttons.map(buttonShape),
  };
}

export function componentOf(components: Component[], type: string): Component | undefined {
  return components.find((c) => c.type.toUpperCase() === type);
}

function buttonShape(button: Button): ButtonShape {
  const type = button.type.toUpperCase();
  return { type, ...textShape(type === 'URL' ? (button.url ?? '') : '') };
}

const placeholder = /\{\{\s*([^{}]+?)\s*\}\}/g;

export function textShape(text: string): TextShape {
  const uses: string[] = [];
  const fixed = text.replace(placeholder, (_all, name: string) => {
    uses.push(name);
    return '';
  });
  const names = [...new Set(uses)];
  if (names.every((name) => /^\d+$/.test(name))) names.sort((a, b) => Number(a) - Number(b));
  return { names, uses, fixedChars: fixed.length };
}
