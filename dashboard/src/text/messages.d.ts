// What messages-plugin.ts provides.
declare module 'virtual:messages' {
  type Room = Record<string, (values?: Record<string, unknown>) => string>;
  const messages: Record<string, Record<string, () => Promise<{ default: Room }>>>;
  export default messages;
}
