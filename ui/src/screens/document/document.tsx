export default function Later(_: { type?: string; name?: string; id?: string }) {
  return null;
}
