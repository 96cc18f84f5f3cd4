class Remanence < Formula
  desc "Memory for coding agents"
  homepage "https://example.com/owner/remanence"
  version "1.2.3"
  license "Apache-2.0"

  on_linux do
    on_intel do
      url "https://example.com/owner/remanence/releases/download/v1.2.3/remanence_1.2.3_linux_amd64.tar.gz"
      sha256 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    end
    on_arm do
      url "https://example.com/owner/remanence/releases/download/v1.2.3/remanence_1.2.3_linux_arm64.tar.gz"
      sha256 "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
    end
  end

  on_macos do
    on_intel do
      url "https://example.com/owner/remanence/releases/download/v1.2.3/remanence_1.2.3_darwin_amd64.tar.gz"
      sha256 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    end
    on_arm do
      url "https://example.com/owner/remanence/releases/download/v1.2.3/remanence_1.2.3_darwin_arm64.tar.gz"
      sha256 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    end
  end

  def install
    bin.install "remanence"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/remanence.bash" => "remanence"
    zsh_completion.install "completions/_remanence"
    fish_completion.install "completions/remanence.fish"
    doc.install "LICENSE", "THIRD_PARTY_LICENSES.txt", "SECURITY.md"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/remanence --version")
  end
end
