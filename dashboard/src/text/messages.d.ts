// What messages-plugin.ts provides.
declare module 'virtual:messages' {
  type Texts = Record<string, (values?: Record<string, unknown>) => string>;
  type Rooms = Record<string, Texts | (() => Promise<{ default: Texts }>)>;
  const languages: Record<string, () => Promise<{ default: Rooms }>>;
  export default languages;
}
