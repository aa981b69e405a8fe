/** The part of the dialog that has the server open an address. */

import { useState } from "preact/hooks";

interface Props {
  readonly prefixes: readonly string[];
  /** Rejects with the reason where nothing can be opened there. */
  readonly open: (address: string) => Promise<void>;
}

export function AddressForm({ prefixes, open }: Props) {
  const [address, setAddress] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const [isOpening, setIsOpening] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setIsOpening(true);
    setWrong(null);
    try {
      await open(address);
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
    setIsOpening(false);
  };
  return (
    <form class="upload-address" onSubmit={(event) => void submit(event)}>
      <label>
        Or open an address below {prefixes.join(", ")}
        <input
          type="text"
          name="address"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          placeholder={`${prefixes[0]}run.tsarc`}
          value={address}
          aria-invalid={wrong !== null}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      </label>
      {wrong !== null && (
        <p class="error-line" role="alert">
          {wrong}
        </p>
      )}
      <button type="submit" class="button is-outlined" disabled={isOpening || address.trim() === ""}>
        {isOpening ? "Opening …" : "Open the address"}
      </button>
    </form>
  );
}
